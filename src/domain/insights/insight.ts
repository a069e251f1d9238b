import type { Severity } from "../foresight/anomalies.js";
import { describeSeries, type SeriesKey } from "../foresight/anomaly-id.js";
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
/** What an insight is about; each kind is one rule. */
export type InsightKind = (typeof INSIGHT_KINDS)[number];

/** The days that insights are about. */
export interface InsightDays extends DateRange {
  /** False if nobody asked for the first one. */
  readonly hasFirstDay: boolean;
}

/** A figure that an insight stands on. A percentage may be computed from the first two figures of the insight. */
export interface InsightFigure {
  /** Such as `share_percent`. */
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** The name of an operation of the graph that answers with the figures, and its variables. */
export interface InsightQuery {
  readonly name: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Something that stands out, by a fixed rule. Every sentence of it has a number that is among its figures. */
export interface Insight {
  readonly kind: InsightKind;
  /** The series that it is about, if it is one. */
  readonly series?: SeriesKey;
  /** What else it is about, such as the id of a deadline; undefined if there can only be one of the kind. */
  readonly about?: string;
  readonly severity: Severity;
  readonly title: string;
  readonly body: string;
  readonly figures: readonly InsightFigure[];
  readonly query: InsightQuery;
  readonly recordIds?: readonly string[];
  readonly sourceUrl?: string | null;
  /** Tonnes that are at stake, by which insights of one severity are ordered. */
  readonly tonnes?: number;
}

/** Stays the same as long as an insight is about the same thing. */
export const insightId = ({ kind, series, about = series && describeSeries(series) }: Insight): string =>
  about === undefined ? kind : `${kind}:${about}`;

const RANKS: Readonly<Record<Severity, number>> = { high: 0, medium: 1, low: 2 };

/** The most serious insights first, then those with the most tonnes. */
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

/** A number without its sign as a text for people: whole from 1,000 on, with 2 decimals from 1 on, else with 3 digits. */
export function tell(value: number): string {
  const size = Math.abs(value);
  return (size < 1 ? SMALL : size < 1_000 ? MEDIUM : LARGE).format(size);
}

/** A percentage as a text for people, with a decimal only below 10. */
export const tellPercent = (percent: number): string =>
  `${Number(Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 1 : 0))} %`;

/** `part` in percent of `whole`, with 2 decimals. */
export const shareOf = (part: number, whole: number): number => Number(((100 * part) / whole).toFixed(2));
