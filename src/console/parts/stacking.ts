import { useLayoutEffect, useRef } from "preact/hooks";

/** Makes the table in an element a list of cards while it is too wide for the element: the class `stacks`. */
export function useStacking(isWanted: boolean) {
  const place = useRef<HTMLElement>(null);
  // After every render, because other rows may have another width.
  useLayoutEffect(() => {
    const { current } = place;
    const table = current?.querySelector("table");
    if (!isWanted || !current || !table) return;
    const arrange = () => {
      table.classList.remove("stacks");
      table.classList.toggle("stacks", current.scrollWidth > current.clientWidth);
    };
    arrange();
    const observer = new ResizeObserver(arrange);
    observer.observe(current);
    return () => observer.disconnect();
  });
  return place;
}
