import type { Key, Page, PageRequest } from "../../data/tenant/keyset.js";

/** A page of a list that is in memory, whose rows have different keys. */
export function takePage<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
  { size, fromEnd, after, before }: PageRequest,
): Page<Row> {
  const keys = rows.map((row) => JSON.stringify(keyOf(row)));
  const placeOf = (key: Key | null) => (key === null ? -1 : keys.indexOf(JSON.stringify(key)));
  const start = placeOf(after) + 1;
  const end = placeOf(before) === -1 ? rows.length : placeOf(before);
  const between = rows.slice(start, Math.max(start, end));
  const taken = fromEnd ? between.slice(-size) : between.slice(0, size);
  const goesOn = between.length > size;
  return {
    rows: taken,
    keyAt: (index) => keyOf(taken[index] as Row),
    hasNextPage: fromEnd ? before !== null : goesOn,
    hasPreviousPage: fromEnd ? goesOn : after !== null,
  };
}
