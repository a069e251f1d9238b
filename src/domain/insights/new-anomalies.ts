import type { FoundAnomaly } from "../foresight/find-anomalies.js";
import { countOf } from "../texts/count-of.js";
import type { Insight } from "./insight.js";

/** The most serious unacknowledged anomaly. */
export interface NewAnomaly
  extends Pick<FoundAnomaly, "severity" | "value" | "expected" | "changePercent" | "robustZ" | "periods"> {
  /** A sentence with the month and series, without the full stop. */
  readonly sentence: string;
}

/** All unacknowledged anomalies. */
export interface NewAnomalies extends Pick<Insight, "query" | "recordIds"> {
  readonly unit: string;
  readonly count: number;
}

/** Describes the unacknowledged anomalies: their number, and the most serious one. */
export function describeNewAnomalies(
  { sentence, severity, ...found }: NewAnomaly,
  { unit, count, query, recordIds }: NewAnomalies,
): Insight {
  const figure = (name: string, value: number | null, unitOf: string) =>
    value === null ? [] : [{ name, value, unit: unitOf }];
  return {
    kind: "new_anomalies",
    severity,
    title: `${countOf(count, "unusual month")} to review`,
    body: `${count === 1 ? "" : "Most severe: "}${sentence}.`,
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
