import { describeSeries, type SeriesKey } from "../foresight/anomaly-id.js";
import type { Severity } from "../foresight/find-anomalies.js";
import type { DateRange } from "../window.js";

export const INSIGHT_KINDS = [
  "largest_change",
  "top_contributor",
  "coverage",
  "new_anomalies",
  "trend",
  "benchmark",
  "deadline",
  "intensity_target",
  "concentration",
  "price_move",
] as const;
/** Kind of an insight. Each kind is one rule. */
export type InsightKind = (typeof INSIGHT_KINDS)[number];

/** Range of days that insights cover. */
export interface InsightDays extends DateRange {
  /** False if the caller did not specify the first day. */
  readonly hasFirstDay: boolean;
}

/** A figure that supports an insight. A percentage may be derived from the insight's first two figures. */
export interface InsightFigure {
  /** Such as `share_percent`. */
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** Name and variables of a GraphQL operation that returns the figures. */
export interface InsightQuery {
  readonly name: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A notable fact, found by a fixed rule. Every number in its sentences is among its figures. */
export interface Insight {
  readonly kind: InsightKind;
  /** The series concerned, if it is a single one. */
  readonly series?: SeriesKey;
  /** Any other subject, such as the id of a deadline; undefined if there can be only one insight of the kind. */
  readonly about?: string;
  readonly severity: Severity;
  readonly title: string;
  readonly body: string;
  readonly figures: readonly InsightFigure[];
  readonly query: InsightQuery;
  readonly recordIds?: readonly string[];
  readonly sourceUrl?: string | null;
  /** Tonnes affected, by which insights of one severity are sorted. */
  readonly tonnes?: number;
}

/** Returns an id that does not change while the insight has the same subject. */
export const insightId = ({ kind, series, about = series && describeSeries(series) }: Insight): string =>
  about === undefined ? kind : `${kind}:${about}`;

const RANKS: Readonly<Record<Severity, number>> = { high: 0, medium: 1, low: 2 };

/** Sorts insights by severity, most serious first, then by tonnes, largest first. */
export const orderInsights = (insights: readonly (Insight | null)[]): Insight[] =>
  insights
    .filter((insight) => insight !== null)
    .sort(
      (one, other) =>
        RANKS[one.severity] - RANKS[other.severity] ||
        Math.abs(other.tonnes ?? 0) - Math.abs(one.tonnes ?? 0) ||
        (insightId(one) < insightId(other) ? -1 : 1),
    );

const SMALL = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const MEDIUM = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const LARGE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** Formats a number without its sign: whole from 1,000, up to 2 decimals from 1, otherwise 3 significant digits. */
export function formatMagnitude(value: number): string {
  const size = Math.abs(value);
  return (size < 1 ? SMALL : size < 1_000 ? MEDIUM : LARGE).format(size);
}

/** Formats a percentage without its sign, and with a decimal only below 10. */
export const formatPercent = (percent: number): string =>
  `${Number(Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 1 : 0))} %`;

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** Formats a day, such as `1 Dec 2026`; `no date` for null. */
export const formatDay = (day: string | null): string =>
  day === null ? "no date" : DAY.format(new Date(day));

/** Returns `part` as a percentage of `whole`, with 2 decimals. */
export const shareOf = (part: number, whole: number): number => Number(((100 * part) / whole).toFixed(2));
