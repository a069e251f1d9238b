import { cadenceOf } from "../emissions/coverage.js";
import { monthOf } from "./monthly-series.js";
import { amountOf, MIN_SCORED, monthsFrom, type ScoredSeries, type Span, unscored } from "./scored-series.js";
import type { Scores } from "./scores.js";

export const ANOMALY_CHECKS = ["z_score", "gap", "yoy"] as const;
/** A check for unusual amounts, periods without records, or large changes from the year before. */
export type AnomalyCheck = (typeof ANOMALY_CHECKS)[number];

export const ANOMALY_TYPES = [...ANOMALY_CHECKS, "new_source"] as const;
/** Type of anomaly. `new_source` is a `yoy` change from 0, which has no percentage. */
export type AnomalyType = (typeof ANOMALY_TYPES)[number];

export const SEVERITIES = ["low", "medium", "high"] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface FoundAnomaly extends Scores {
  readonly type: AnomalyType;
  readonly severity: Severity;
  /** `YYYY-MM`; the first month of a gap. */
  readonly month: string;
  /** Null for a gap. */
  readonly value: number | null;
  /** Median of the series, or the amount a year before; null for a gap. */
  readonly expected: number | null;
  /** Change from a year before, in percent; null for other types and for a change from 0. */
  readonly changePercent: number | null;
  /** Number of expected periods in a gap; null for other types. */
  readonly periods: number | null;
  /** True if a gap is ongoing; null for other types. */
  readonly trailing: boolean | null;
  /** Last month of a gap that is over; null for other anomalies. */
  readonly until: string | null;
}

/** Checks to run, with their thresholds. */
export interface Thresholds {
  readonly types: readonly AnomalyCheck[];
  /** Absolute modified z-score that an unusual amount exceeds. */
  readonly zThreshold: number;
  /** Minimum change from a year before, as a share. */
  readonly yoyThreshold: number;
}

export interface Examination extends Span, Thresholds {}

/** Default thresholds: Iglewicz and Hoaglin's for scores, and a quarter of the amount a year before. */
export const DEFAULT_THRESHOLDS = { zThreshold: 3.5, yoyThreshold: 0.25 } as const;

/** Minimum number of months with records to infer a cadence. */
const MIN_REGULAR = 3;

type Levels = readonly [low: number, medium: number, high: number];
const Z_LEVELS: Levels = [3.5, 5, 8];
const YOY_LEVELS: Levels = [0.25, 0.5, 1];
const GAP_LEVELS: Levels = [1, 2, 3];

const severityOf = (size: number, [, medium, high]: Levels): Severity =>
  size >= high ? "high" : size >= medium ? "medium" : "low";

const NO_GAP = { periods: null, trailing: null, until: null };

/** Identifies an anomaly in a series, which has at most one per type and month. The month is given by its number. */
export interface AnomalyKey {
  readonly type: AnomalyType;
  readonly month: number;
}

/** Finds the anomalies in a series; null if no check has enough months. */
export function findAnomalies(
  series: ScoredSeries,
  { types, zThreshold, yoyThreshold }: Thresholds,
): AnomalyKey[] | null {
  const months = monthsFrom(series, series.first);
  const finders = {
    z_score: months.length >= MIN_SCORED && (() => findUnusual(series, months, zThreshold)),
    yoy:
      months.some((month) => !Number.isNaN(amountOf(series, month - 12))) &&
      (() => findChanges(series, months, yoyThreshold)),
    gap:
      monthsFrom(series, series.start).length >= MIN_REGULAR &&
      (() => listGaps(series).map(({ month }): AnomalyKey => ({ type: "gap", month }))),
  };
  const able = types.map((type) => finders[type]).filter((find) => find !== false);
  return able.length === 0 ? null : able.flatMap((find) => find());
}

/** Finds the months whose modified z-score exceeds a threshold. */
const findUnusual = (series: ScoredSeries, months: readonly number[], threshold: number): AnomalyKey[] =>
  months
    .filter((month) => Math.abs(series.score(amountOf(series, month)).robustZ ?? 0) > threshold)
    .map((month) => ({ type: "z_score", month }));

/** Returns a change as a share, without floating-point noise: -0.25 from 1.2 to 0.9. */
const changeOf = (value: number, base: number): number => Number((value / base - 1).toFixed(12));

/**
 * Finds the months that differ from a year before by at least a threshold, and those above 0 whose amount a year before
 * was 0.
 */
function findChanges(series: ScoredSeries, months: readonly number[], threshold: number): AnomalyKey[] {
  const found: AnomalyKey[] = [];
  for (const month of months) {
    const [value, base] = [amountOf(series, month), amountOf(series, month - 12)];
    if (base === 0 && value > 0) found.push({ type: "new_source", month });
    if (base !== 0 && Math.abs(changeOf(value, base)) >= threshold) found.push({ type: "yoy", month });
  }
  return found;
}

/** Consecutive periods without a record. */
interface Gap {
  readonly month: number;
  readonly periods: number;
  readonly trailing: boolean;
  readonly last: number;
}

/** Lists the gaps in a series, which depend on its cadence. */
function listGaps(series: ScoredSeries): Gap[] {
  const { start, first, last, end } = series;
  const months = monthsFrom(series, start);
  const cadence = cadenceOf(months);
  return months.flatMap((month, index): Gap[] => {
    const next = months[index + 1];
    const periods =
      next === undefined ? Math.floor((end - month) / cadence) : Math.round((next - month) / cadence) - 1;
    const begin = month + cadence;
    const ends = begin + (periods - 1) * cadence;
    if (periods < 1 || ends < first || begin > last) return [];
    return [{ month: begin, periods, trailing: next === undefined, last: ends }];
  });
}

export function describeAnomaly(series: ScoredSeries, { type, month }: AnomalyKey): FoundAnomaly {
  const at = { type, month: monthOf(month) };
  if (type === "gap") {
    const gap = listGaps(series).find((one) => one.month === month);
    const { periods = 0, trailing = false, last = month } = gap ?? {};
    const nothing = { value: null, expected: null, changePercent: null, ...unscored() };
    const until = trailing ? null : monthOf(last);
    return { ...at, severity: severityOf(periods, GAP_LEVELS), ...nothing, periods, trailing, until };
  }
  const value = amountOf(series, month);
  const about = { ...at, value, ...series.score(value), ...NO_GAP };
  if (type === "z_score") {
    const severity = severityOf(Math.abs(about.robustZ ?? 0), Z_LEVELS);
    return { ...about, severity, expected: series.median, changePercent: null };
  }
  const expected = amountOf(series, month - 12);
  if (type === "new_source") return { ...about, severity: "high", expected, changePercent: null };
  const change = changeOf(value, expected);
  return {
    ...about,
    severity: severityOf(Math.abs(change), YOY_LEVELS),
    expected,
    changePercent: 100 * change,
  };
}
