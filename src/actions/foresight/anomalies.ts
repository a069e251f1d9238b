import { findingId, type SeriesKey } from "../../domain/foresight/finding-id.js";
import { type Examination, type Finding, findAnomalies } from "../../domain/foresight/findings.js";
import { explainFinding } from "./explain.js";
import type { Series } from "./series.js";

/** A finding with its series. Figures are rounded to 3 decimals, percentages to 2. */
export interface Anomaly extends Finding {
  /** Stays the same as long as it is found. */
  readonly id: string;
  readonly series: SeriesKey;
  readonly explanation: string;
}

/** What was looked at, and what was found. */
export interface AnomalyReport {
  /** Latest month first, then by id. */
  readonly anomalies: readonly Anomaly[];
  /** How many series were looked at. */
  readonly evaluated: number;
  /** The series that have too few months with data. */
  readonly notEvaluated: readonly SeriesKey[];
}

/** Finds what is unusual in series. */
export function reportAnomalies(allSeries: readonly Series[], examination: Examination): AnomalyReport {
  const examined = allSeries.map((series) => ({
    series,
    found: findAnomalies(series.amounts, examination, series.activeTo),
  }));
  const anomalies = examined.flatMap(({ series, found }) =>
    (found ?? []).map((finding) => describe(series, finding)),
  );
  anomalies.sort((one, other) => compare(other.month, one.month) || compare(one.id, other.id));
  return {
    anomalies,
    evaluated: examined.filter(({ found }) => found !== null).length,
    notEvaluated: examined.filter(({ found }) => found === null).map(({ series }) => series.key),
  };
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const describe = ({ key, unit }: Series, finding: Finding): Anomaly => ({
  ...{ ...finding, id: findingId(key, finding), series: key },
  value: round(finding.value, 3),
  expected: round(finding.expected, 3),
  changePct: round(finding.changePct, 2),
  zScore: round(finding.zScore, 3),
  robustZ: round(finding.robustZ, 3),
  explanation: explainFinding(finding, unit),
});

/** Without a negative zero. */
const round = (value: number | null, decimals: number): number | null =>
  value === null ? null : Number(value.toFixed(decimals)) + 0;
