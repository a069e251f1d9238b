import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Makes the table in an element narrower while it is too wide for the element (the class `tight`), and a list of cards
 * where that is not enough (`stacks`).
 */
export function useStacking(isWanted: boolean) {
  const place = useRef<HTMLElement>(null);
  // After every render, because other rows may have another width.
  useLayoutEffect(() => {
    const { current } = place;
    const table = current?.querySelector("table");
    if (!isWanted || !current || !table) return;
    const arrange = () => {
      table.classList.remove("tight", "stacks");
      for (const narrower of ["tight", "stacks"]) {
        table.classList.toggle(narrower, current.scrollWidth > current.clientWidth);
      }
    };
    arrange();
    const observer = new ResizeObserver(arrange);
    observer.observe(current);
    return () => observer.disconnect();
  });
  return place;
}
