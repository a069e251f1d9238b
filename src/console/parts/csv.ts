/** A value of a CSV file; null is an empty cell. */
export type Cell = string | number | null;

/**
 * Writes rows as CSV (RFC 4180). A text that a spreadsheet would read as a formula gets an apostrophe in front of it;
 * numbers with a sign do not.
 */
export const writeCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((cells) => `${cells.map(quoteCell).join(",")}\r\n`).join("");

/** Writes a cell. */
export const quoteCell = (cell: Cell) =>
  typeof cell === "string"
    ? `"${cell.replace(/^(?=[=@\t\r]|[+-](?!\d+([.,]\d+)?$))/, "'").replaceAll('"', '""')}"`
    : (cell ?? "");

/** Saves a CSV file on the user's computer. Spreadsheets recognize UTF-8 by the mark at the start. */
export const downloadCsv = (name: string, content: string): void =>
  download(name, new Blob(["\uFEFF", content], { type: "text/csv" }));

/** Saves a file on the user's computer. */
export function download(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
