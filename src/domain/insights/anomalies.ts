import type { Finding } from "../foresight/findings.js";
import { type Insight, tell } from "./insight.js";

/** A finding that nobody has acknowledged. */
export interface NewFinding
  extends Pick<Finding, "severity" | "month" | "value" | "expected" | "changePct" | "robustZ" | "periods"> {
  readonly id: string;
  readonly series: { readonly facility?: string | null };
  readonly explanation: string;
}

/**
 * The findings that nobody has acknowledged: how many they are, and the latest. They are as serious as the most serious one,
 * whose levels have their reasons in findings.ts.
 */
export function findNewAnomalies(
  found: readonly NewFinding[],
  { unit, query, recordIds }: Pick<Insight, "query" | "recordIds"> & { readonly unit: string },
): Insight | null {
  const [latest] = found;
  if (!latest) return null;
  const severities = found.map(({ severity }) => severity);
  const figure = (name: string, value: number | null, unitOf: string) =>
    value === null ? [] : [{ name, value, unit: unitOf }];
  return {
    kind: "new_anomalies",
    severity: severities.includes("high") ? "high" : severities.includes("medium") ? "medium" : "low",
    title: `${found.length} ${found.length === 1 ? "finding is" : "findings are"} new`,
    body: `Of ${tell(found.length)} not acknowledged, the latest is of ${latest.month}: ${latest.explanation}.`,
    figures: [
      { name: "findings", value: found.length, unit: "findings" },
      ...figure("value", latest.value, unit),
      ...figure("expected", latest.expected, unit),
      ...figure("change_percent", latest.changePct, "%"),
      ...figure("robust_z", latest.robustZ, "score"),
      ...figure("periods", latest.periods, "periods"),
    ],
    ...{ query, recordIds: recordIds ?? [], tonnes: unit === "tCO2e" ? (latest.value ?? 0) : 0 },
  };
}
