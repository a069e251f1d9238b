import type { Access } from "../../access/context.js";
import { listPeriods } from "../../data/compliance/ccts.js";
import { listUrgentDeadlines } from "../../data/compliance/compliance.js";
import { findDueDeadline, findMissedTarget } from "../../domain/insights/due-deadlines.js";
import type { Insight } from "../../domain/insights/insight.js";
import { MAX_PAGE_SIZE } from "../../domain/page.js";
import { type DateRange, isoDate } from "../../domain/window.js";

/** Lists compliance insights: deadlines of the range that require action, and missed intensity targets. */
export async function listComplianceInsights(
  { tenant }: Access,
  range: DateRange,
  now: Date,
): Promise<(Insight | null)[]> {
  const [deadlines, years] = await Promise.all([
    listUrgentDeadlines(tenant, { ...range, limit: MAX_PAGE_SIZE }),
    listPeriods(tenant, { size: MAX_PAGE_SIZE, fromEnd: false, after: null, before: null }),
  ]);
  return [
    ...deadlines.map((deadline) => findDueDeadline(deadline, isoDate(now))),
    ...years.rows.map(findMissedTarget),
  ];
}
