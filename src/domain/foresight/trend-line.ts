/** Amount of a month. `x` is the number of months since the start of the series. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface StudentT {
  /** Returns the `p` quantile. */
  quantile(p: number, degreesOfFreedom: number): number;
  /** Returns the two-sided probability of a value further from 0 than `t`. */
  twoSided(t: number, degreesOfFreedom: number): number;
}

export const DIRECTIONS = ["increasing", "decreasing", "flat"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** A straight line fitted to points by ordinary least squares. */
export interface Line {
  readonly n: number;
  readonly slope: number;
  readonly intercept: number;
  /** Share of the variance that the line explains; null if the points do not vary. */
  readonly r2: number | null;
  /** Standard deviation of the residuals, with n - 2 degrees of freedom. */
  readonly residualSd: number;
  /** Probability of a slope at least this far from 0 without a trend; null if the points do not vary. */
  readonly pValue: number | null;
  /** The sign of the slope if `pValue` is below 0.05; otherwise `flat`. */
  readonly direction: Direction;
  readonly meanX: number;
  /** Sum of the squared distances of x from their mean. */
  readonly sxx: number;
}

const SIGNIFICANT = 0.05;

/**
 * Fits a line to at least three points. Source: Draper and Smith, Applied Regression Analysis, 3rd edition, chapter 1.
 */
export function fitLine(points: readonly Point[], studentT: StudentT): Line {
  const n = points.length;
  const meanX = sum(points, ({ x }) => x) / n;
  const meanY = sum(points, ({ y }) => y) / n;
  const sxx = sum(points, ({ x }) => (x - meanX) ** 2);
  const first = points[0]?.y ?? 0;
  if (points.every(({ y }) => y === first)) {
    const flat = { slope: 0, intercept: first, r2: null, residualSd: 0, pValue: null } as const;
    return { n, ...flat, direction: "flat", meanX, sxx };
  }
  const slope = sum(points, ({ x, y }) => (x - meanX) * (y - meanY)) / sxx;
  const intercept = meanY - slope * meanX;
  const sse = sum(points, ({ x, y }) => (y - intercept - slope * x) ** 2);
  const sst = sum(points, ({ y }) => (y - meanY) ** 2);
  const residualSd = Math.sqrt(sse / (n - 2));
  const pValue = sse === 0 ? 0 : studentT.twoSided((slope * Math.sqrt(sxx)) / residualSd, n - 2);
  const direction = pValue >= SIGNIFICANT ? "flat" : slope > 0 ? "increasing" : "decreasing";
  return { n, slope, intercept, r2: 1 - sse / sst, residualSd, pValue, direction, meanX, sxx };
}

/** Returns the value of the line at `x`. */
export const valueAt = ({ intercept, slope }: Line, x: number): number => intercept + slope * x;

export const sum = <Item>(items: readonly Item[], amountOf: (item: Item) => number): number =>
  items.reduce((total, item) => total + amountOf(item), 0);
