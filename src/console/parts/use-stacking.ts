import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Adapts the table in an element to its width. Adds the class `tight` if the table is too wide. If it still is, adds
 * `stacks`, which turns it into a list of cards.
 */
export function useStacking(isWanted: boolean) {
  const container = useRef<HTMLElement>(null);
  // Runs after every render, because other rows may have a different width.
  useLayoutEffect(() => {
    const { current } = container;
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
  return container;
}
