import type { Access } from "../../access/context.js";
import { findConcentration } from "../../domain/insights/credits.js";
import type { Insight } from "../../domain/insights/insight.js";
import type { DateRange } from "../../domain/window.js";
import { listNewCreditAnomalies } from "./anomalies.js";

/** What stands out in carbon credits: a portfolio of one type, and unusual retirements in the months of the range. */
export async function listCreditInsights(
  access: Access,
  range: DateRange,
  now: Date,
): Promise<(Insight | null)[]> {
  const [groups, anomalies] = await Promise.all([
    access.loaders.creditGroups(),
    listNewCreditAnomalies(access, range, now),
  ]);
  const byType = new Map<string, number>();
  for (const { creditType, available } of groups) {
    byType.set(creditType, (byType.get(creditType) ?? 0) + Number(available));
  }
  const quantities = [...byType].map(([creditType, quantity]) => ({ creditType, quantity }));
  return [findConcentration(quantities), anomalies];
}
