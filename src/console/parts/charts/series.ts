import { writeCsv } from "../csv.js";

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
  /** Values of the chart, if they are others: a forecast begins at the last recorded month. Missing ones are spanned. */
  readonly drawn?: readonly (number | null)[];
  /** Edge of a band around the line before it. The upper edge follows its lower one. */
  readonly edge?: "lower" | "upper";
}

/** Returns true if a row is a day, `YYYY-MM-DD`. */
export const isDay = (row: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(row);

/** Returns the numbers as CSV. */
export const toCsv = ({ rowsAre, rows, series, unit }: Series): string =>
  writeCsv([
    [rowsAre, ...series.map(({ name }) => `${name} (${unit})`)],
    ...rows.map((row, index) => [row, ...series.map(({ values }) => values[index] ?? null)]),
  ]);
