import type { Key, Page, PageRequest } from "../../data/tenant/keyset.js";

/**
 * Returns a page of an in-memory list whose rows have unique keys. `findRow` returns the index of the row with a key,
 * or -1.
 */
export function takePage<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
  { size, fromEnd, after, before }: PageRequest,
  findRow = (key: Key) => rows.findIndex((row) => JSON.stringify(keyOf(row)) === JSON.stringify(key)),
): Page<Row> {
  const start = after === null ? 0 : findRow(after) + 1;
  const place = before === null ? -1 : findRow(before);
  const end = Math.max(start, place === -1 ? rows.length : place);
  const hasMore = end - start > size;
  const taken = fromEnd
    ? rows.slice(Math.max(start, end - size), end)
    : rows.slice(start, Math.min(end, start + size));
  return {
    rows: taken,
    keyAt: (index) => keyOf(taken[index] as Row),
    hasNextPage: fromEnd ? before !== null : hasMore,
    hasPreviousPage: fromEnd ? hasMore : after !== null,
  };
}
