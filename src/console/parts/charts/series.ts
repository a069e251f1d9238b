import { writeCsv } from "../csv.js";

/** Numbers by row and series, which a chart, its table and its CSV file share. */
export interface Series {
  /** Title, and name of the CSV file. */
  readonly title: string;
  readonly unit: string;
  /** Noun for the rows, such as "Month". */
  readonly rowsAre: string;
  readonly rows: readonly string[];
  /** Address of the page behind each row; null for none. */
  readonly links?: readonly (string | null)[];
  /** True for each row whose numbers are still incomplete, which is drawn lighter. */
  readonly unfinished?: readonly boolean[];
  readonly series: readonly OneSeries[];
}

interface OneSeries {
  readonly name: string;
  /** Parameters that limit the page behind a row to this series. */
  readonly query?: Readonly<Record<string, string>>;
  readonly values: readonly (number | null)[];
  /** Values of the chart, if they are others: a forecast begins at the last recorded month. Missing ones are spanned. */
  readonly drawn?: readonly (number | null)[];
  /** Edge of a band around the line before it. The upper edge follows its lower one. */
  readonly edge?: "lower" | "upper";
}

/** Returns the address of the page behind a row, or behind one of its numbers; null for none. */
export function linkOf({ links, series }: Series, row: number, place?: number): string | null {
  const link = links?.[row] ?? null;
  const query = place === undefined ? undefined : series[place]?.query;
  return link === null || query === undefined ? link : `${link}&${new URLSearchParams(query)}`;
}

/** Returns true if a row is a day, `YYYY-MM-DD`. */
export const isDay = (row: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(row);

/** Returns the numbers as CSV. */
export const toCsv = ({ rowsAre, rows, series, unit }: Series): string =>
  writeCsv([
    [rowsAre, ...series.map(({ name }) => `${name} (${unit})`)],
    ...rows.map((row, index) => [row, ...series.map(({ values }) => values[index] ?? null)]),
  ]);
