/** Numbers by row and series, which a chart, its table and its CSV file share. */
export interface Series {
  /** Title, and name of the CSV file. */
  readonly title: string;
  readonly unit: string;
  /** Noun for the rows, such as "Month". */
  readonly rowsAre: string;
  readonly rows: readonly string[];
  readonly series: readonly OneSeries[];
}

interface OneSeries {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** Edge of a band around the line before it. The upper edge follows its lower one. */
  readonly edge?: "lower" | "upper";
}

/** Returns the numbers as CSV (RFC 4180). A name that a spreadsheet would read as a formula gets an apostrophe. */
export function toCsv({ rowsAre, rows, series, unit }: Series): string {
  const quote = (text: string) => `"${text.replace(/^(?=[=+\-@\t\r])/, "'").replaceAll('"', '""')}"`;
  const header = [rowsAre, ...series.map(({ name }) => `${name} (${unit})`)].map(quote);
  const lines = rows.map((row, index) => [quote(row), ...series.map(({ values }) => values[index] ?? "")]);
  return `${[header, ...lines].map((cells) => cells.join(",")).join("\r\n")}\r\n`;
}
