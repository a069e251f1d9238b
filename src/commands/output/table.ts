import { printable } from "./terminal.js";

/**
 * Formats rows as columns below headings. Put names in the last column, because their characters may have any width.
 */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const shown = [headings, ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  return shown
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => line.trimEnd())
    .join("\n");
}
