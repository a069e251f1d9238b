import { useState } from "preact/hooks";

let count = 0;

/**
 * Returns an id that is unique on the page. Preact's `useId` is not: when part of a page renders again, a new field
 * can get the id of an earlier one, and its label then points to the wrong field.
 */
export function useId(): string {
  const [id] = useState(() => `id-${count++}`);
  return id;
}
