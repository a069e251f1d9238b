import { useState } from "preact/hooks";

let count = 0;

/**
 * Returns an id that no other element of the page has. That of Preact is unique only until a part of the page is
 * rendered again: then a field that is added gets the id of an earlier one, and its label names that one.
 */
export function useId(): string {
  const [id] = useState(() => `id-${count++}`);
  return id;
}
