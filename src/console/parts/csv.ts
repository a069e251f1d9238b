import { guard } from "../../domain/texts/guard.js";

/** A CSV cell; null for an empty one. */
export type Cell = string | number | null;

/**
 * Writes rows as CSV (RFC 4180). Puts an apostrophe before text that a spreadsheet would read as a formula, except
 * before signed numbers.
 */
export const writeCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((cells) => `${cells.map(quoteCell).join(",")}\r\n`).join("");

export function quoteCell(cell: Cell): string | number {
  if (typeof cell !== "string") return cell ?? "";
  const guarded = /^[+-]\d+([.,]\d+)?$/.test(cell) ? cell : guard(cell);
  return `"${guarded.replaceAll('"', '""')}"`;
}

/** Downloads a CSV file. The byte order mark makes spreadsheets recognize UTF-8. */
export const downloadCsv = (name: string, content: string): void =>
  download(name, new Blob(["\uFEFF", content], { type: "text/csv" }));

export function download(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
