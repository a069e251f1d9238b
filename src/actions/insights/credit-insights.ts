import type { Access } from "../../access/context.js";
import { findConcentration } from "../../domain/insights/concentration.js";
import type { Insight, InsightDays } from "../../domain/insights/insight.js";
import { listNewCreditAnomalies } from "./anomaly-insights.js";

/** Lists insights into carbon credits: concentration on one type, and unusual retirements in the range's months. */
export async function listCreditInsights(
  access: Access,
  days: InsightDays,
  now: Date,
): Promise<(Insight | null)[]> {
  const [groups, anomalies] = await Promise.all([
    access.loaders.creditGroups(),
    listNewCreditAnomalies(access, days, now),
  ]);
  const byType = new Map<string, number>();
  for (const { creditType, available } of groups) {
    byType.set(creditType, (byType.get(creditType) ?? 0) + Number(available));
  }
  const quantities = [...byType].map(([creditType, quantity]) => ({ creditType, quantity }));
  return [findConcentration(quantities), anomalies];
}
