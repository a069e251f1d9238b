/**
 * Returns a row that must exist, because another row refers to it or the current mutation has just written it. `what`
 * names the row in the error.
 */
export function requireRow<Row>(row: Row | null, what: string): Row {
  if (row === null) throw new Error(`the ${what} does not exist`);
  return row;
}
