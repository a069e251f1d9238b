import type { FoundAnomaly, Severity } from "../foresight/anomalies.js";
import type { SeriesKey } from "../foresight/anomaly-id.js";
import type { Insight } from "./insight.js";

/** An unacknowledged anomaly. */
export interface NewAnomaly
  extends Pick<FoundAnomaly, "month" | "value" | "expected" | "changePercent" | "robustZ" | "periods"> {
  readonly id: string;
  readonly series: SeriesKey;
  readonly severity: Severity;
  readonly explanation: string;
}

/** All unacknowledged anomalies. */
export interface NewAnomalies extends Pick<Insight, "query" | "recordIds"> {
  readonly unit: string;
  readonly count: number;
}

/** Names the series of an anomaly, such as `PUNE, scope 2`. */
function nameSeries({ facility, scope }: SeriesKey): string {
  const parts = [
    ...(facility === undefined ? [] : [facility ?? "records without a facility"]),
    ...(scope === undefined ? [] : [scope.replace("_", " ")]),
  ];
  return parts.length === 0 ? "retired credits" : parts.join(", ");
}

/** Describes the unacknowledged anomalies: their number, and the most serious one. */
export function describeNewAnomalies(
  { series, severity, ...found }: NewAnomaly,
  { unit, count, query, recordIds }: NewAnomalies,
): Insight {
  const figure = (name: string, value: number | null, unitOf: string) =>
    value === null ? [] : [{ name, value, unit: unitOf }];
  return {
    kind: "new_anomalies",
    severity,
    title: `${count} ${count === 1 ? "anomaly is" : "anomalies are"} new`,
    body: `${count === 1 ? "It" : "The most serious"} is of ${nameSeries(series)}, in ${found.month}: ${found.explanation}.`,
    figures: [
      { name: "findings", value: count, unit: "anomalies" },
      ...figure("value", found.value, unit),
      ...figure("expected", found.expected, unit),
      ...figure("change_percent", found.changePercent, "%"),
      ...figure("robust_z", found.robustZ, "score"),
      ...figure("periods", found.periods, "periods"),
    ],
    query,
    recordIds: recordIds ?? [],
    tonnes: unit === "tCO2e" ? (found.value ?? 0) : 0,
  };
}
