import { writeCsv } from "../csv.js";

/** Numbers by row and series, for a chart, its table and its CSV file. */
export interface Series {
  /** Title of the chart and name of the CSV file. */
  readonly title: string;
  readonly unit: string;
  /** Noun for the rows, e.g. "Month". */
  readonly rowsAre: string;
  readonly rows: readonly string[];
  /** Link to the page about each row; null for none. */
  readonly links?: readonly (string | null)[];
  /** True for each row with incomplete numbers. Bars draw it lighter; lines ignore it. */
  readonly unfinished?: readonly boolean[];
  readonly series: readonly OneSeries[];
}

interface OneSeries {
  readonly name: string;
  /** Parameters that limit a row's page to this series. */
  readonly query?: Readonly<Record<string, string>>;
  readonly values: readonly (number | null)[];
  /**
   * Values for the chart, if they differ: a forecast starts at the last recorded month. The line spans missing
   * values.
   */
  readonly drawn?: readonly (number | null)[];
  /** Edge of a band around the previous line. The upper edge follows the lower one. */
  readonly edge?: "lower" | "upper";
}

/** Returns the link to the page about a row or one of its numbers; null for none. */
export function linkOf({ links, series }: Series, row: number, place?: number): string | null {
  const link = links?.[row] ?? null;
  const query = place === undefined ? undefined : series[place]?.query;
  return link === null || query === undefined ? link : `${link}&${new URLSearchParams(query)}`;
}

/** Returns true if a row is a date, `YYYY-MM-DD`. */
export const isDay = (row: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(row);

/** Returns the numbers as CSV. */
export const toCsv = ({ rowsAre, rows, series, unit }: Series): string =>
  writeCsv([
    [rowsAre, ...series.map(({ name }) => `${name} (${unit})`)],
    ...rows.map((row, index) => [row, ...series.map(({ values }) => values[index] ?? null)]),
  ]);
