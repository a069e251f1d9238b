import { cadenceOf } from "../emissions/coverage.js";
import { monthNumber } from "../window.js";
import { createScores, median, type Scores } from "./scores.js";
import { type MonthAmount, monthOf } from "./series.js";

export const ANOMALY_TYPES = ["z_score", "gap", "yoy"] as const;
/** What is looked for: unusual amounts, periods without records, and large changes from a year before. */
export type AnomalyType = (typeof ANOMALY_TYPES)[number];

export const FINDING_TYPES = [...ANOMALY_TYPES, "new_source"] as const;
/** What was found. `new_source` is a `yoy` whose month a year before was 0. */
export type FindingType = (typeof FINDING_TYPES)[number];

export const SEVERITIES = ["low", "medium", "high"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Something unusual in a series. */
export interface Finding extends Scores {
  readonly type: FindingType;
  readonly severity: Severity;
  /** The month, or the first of a gap, `YYYY-MM`. */
  readonly month: string;
  /** Null for a gap. */
  readonly value: number | null;
  /** The median of the series, or the amount a year before; null for a gap. */
  readonly expected: number | null;
  /** Change from a year before; null for other types, and from 0. */
  readonly changePct: number | null;
  /** How many expected periods a gap has; null for other types. */
  readonly periods: number | null;
  /** Whether a gap lasts until now; null for other types. */
  readonly trailing: boolean | null;
}

/** How a series is looked at. Months are `YYYY-MM`. */
export interface Examination {
  readonly types: readonly AnomalyType[];
  readonly from: string;
  /** Not after the last complete month. */
  readonly to: string;
  /** The least modified z-score that is found, without its sign. */
  readonly zThreshold: number;
  /** The least change from a year before that is found, as a share. */
  readonly yoyThreshold: number;
}

/** The thresholds if nothing else is asked for: Iglewicz and Hoaglin's for scores, and a quarter of the amount a year before. */
export const DEFAULT_THRESHOLDS = { zThreshold: 3.5, yoyThreshold: 0.25 } as const;

/** Amounts that are scored are no fewer. */
const LEAST_SCORED = 6;
/** Months with records that tell a cadence are no fewer. */
const LEAST_REGULAR = 3;

type Levels = readonly [low: number, medium: number, high: number];
const Z_LEVELS: Levels = [3.5, 5, 8];
const YOY_LEVELS: Levels = [0.25, 0.5, 1];
const GAP_LEVELS: Levels = [1, 2, 3];

const severityOf = (size: number, [, medium, high]: Levels): Severity =>
  size >= high ? "high" : size >= medium ? "medium" : "low";

/** A series of months by their numbers, ready to be looked at. */
interface Examined {
  readonly amounts: ReadonlyMap<number, number>;
  /** Those with data, from a year before the first that is looked at. */
  readonly months: readonly number[];
  /** Those of them that are looked at. */
  readonly inRange: readonly number[];
  readonly first: number;
  readonly last: number;
  readonly median: number;
  readonly score: (value: number) => Scores;
}

const amountOf = ({ amounts }: Examined, month: number): number => amounts.get(month) ?? 0;

const NO_GAP = { periods: null, trailing: null };
const UNSCORED: Scores = { zScore: null, robustZ: null };

/**
 * What is unusual in a series, earliest first; null if it has too few months for each of the types. `amounts` may begin a year
 * before `from`, and earlier; `activeTo` is the last month in which records can be expected, if that is before `to`.
 */
export function findAnomalies(
  amounts: readonly MonthAmount[],
  { types, from, to, zThreshold, yoyThreshold }: Examination,
  activeTo = to,
): Finding[] | null {
  const series = examine(amounts, from, to);
  const finders = {
    z_score: series.inRange.length >= LEAST_SCORED && (() => findUnusual(series, zThreshold)),
    yoy:
      series.inRange.some((month) => series.amounts.has(month - 12)) &&
      (() => findChanges(series, yoyThreshold)),
    gap:
      series.months.length >= LEAST_REGULAR &&
      (() => findGaps(series, monthNumber(activeTo < to ? activeTo : to))),
  };
  const able = types.map((type) => finders[type]).filter((find) => find !== false);
  if (able.length === 0) return null;
  return able
    .flatMap((find) => find())
    .sort((one, other) => monthNumber(one.month) - monthNumber(other.month));
}

function examine(given: readonly MonthAmount[], from: string, to: string): Examined {
  const [first, last] = [monthNumber(from), monthNumber(to)];
  const amounts = new Map(given.map(({ month, amount }) => [monthNumber(month), amount]));
  const months = [...amounts.keys()].filter((month) => month <= last).sort((one, other) => one - other);
  const inRange = months.filter((month) => month >= first);
  const values = inRange.map((month) => amounts.get(month) ?? 0);
  const score = values.length >= LEAST_SCORED ? createScores(values) : () => UNSCORED;
  return { amounts, months, inRange, first, last, median: median(values), score };
}

/** Months whose modified z-score is above a threshold. */
function findUnusual(series: Examined, threshold: number): Finding[] {
  return series.inRange.flatMap((month): Finding[] => {
    const value = amountOf(series, month);
    const scores = series.score(value);
    const size = Math.abs(scores.robustZ ?? 0);
    if (size <= threshold) return [];
    const about = { month: monthOf(month), value, expected: series.median, changePct: null };
    return [{ type: "z_score", severity: severityOf(size, Z_LEVELS), ...about, ...scores, ...NO_GAP }];
  });
}

/** Months that differ from a year before by a threshold, and those that follow a month of 0. */
function findChanges(series: Examined, threshold: number): Finding[] {
  return series.inRange.flatMap((month): Finding[] => {
    const base = series.amounts.get(month - 12);
    if (base === undefined) return [];
    const value = amountOf(series, month);
    const about = { month: monthOf(month), value, expected: base, ...series.score(value), ...NO_GAP };
    if (base === 0)
      return value > 0 ? [{ type: "new_source", severity: "high", ...about, changePct: null }] : [];
    const change = value / base - 1;
    if (Math.abs(change) < threshold) return [];
    return [
      { type: "yoy", severity: severityOf(Math.abs(change), YOY_LEVELS), ...about, changePct: 100 * change },
    ];
  });
}

/** Periods without a record, by the cadence of those that have one; those in a row are one finding. */
function findGaps({ months, first, last }: Examined, end: number): Finding[] {
  const cadence = cadenceOf(months);
  return months.flatMap((month, index): Finding[] => {
    const next = months[index + 1];
    const periods =
      next === undefined ? Math.floor((end - month) / cadence) : Math.round((next - month) / cadence) - 1;
    const start = month + cadence;
    if (periods < 1 || start + (periods - 1) * cadence < first || start > last) return [];
    const about = { month: monthOf(start), value: null, expected: null, changePct: null, ...UNSCORED };
    return [
      {
        type: "gap",
        severity: severityOf(periods, GAP_LEVELS),
        ...about,
        periods,
        trailing: next === undefined,
      },
    ];
  });
}
