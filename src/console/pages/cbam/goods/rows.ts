import { useState } from "preact/hooks";

/** Rows of a form that a person adds and removes, each by a key that stays. */
export function useRows(first: number) {
  const [{ keys, next }, set] = useState({
    keys: Array.from({ length: first }, (_, index) => index),
    next: first,
  });
  return {
    keys,
    add: () => set({ keys: [...keys, next], next: next + 1 }),
    remove: (removed: number) => set({ keys: keys.filter((key) => key !== removed), next }),
  };
}
