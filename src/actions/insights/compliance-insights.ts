import type { Access } from "../../access/context.js";
import { listPeriods } from "../../data/compliance/ccts.js";
import { listUpcomingDeadlines } from "../../data/compliance/compliance.js";
import { findDueDeadline, findMissedTarget } from "../../domain/insights/due-deadlines.js";
import type { Insight } from "../../domain/insights/insight.js";
import { MAX_PAGE_SIZE } from "../../domain/page.js";
import { type DateRange, isoDate } from "../../domain/window.js";

const ACTION_REQUIRED = "action_required";

/** Lists compliance insights: deadlines of the range that require action, and missed intensity targets. */
export async function listComplianceInsights(
  { tenant, loaders }: Access,
  { from, to }: DateRange,
  now: Date,
): Promise<(Insight | null)[]> {
  const [frameworks, deadlines, years] = await Promise.all([
    loaders.frameworks([ACTION_REQUIRED]),
    listUpcomingDeadlines(tenant, { from, limit: MAX_PAGE_SIZE }),
    listPeriods(tenant, { size: MAX_PAGE_SIZE, fromEnd: false, after: null, before: null }),
  ]);
  const urgent = new Set(frameworks.map(({ framework }) => framework));
  const due = deadlines.filter(
    ({ dueDate, completedOn, framework, status }) =>
      dueDate <= to &&
      completedOn === null &&
      (urgent.has(framework) || status.toLowerCase() === ACTION_REQUIRED),
  );
  return [
    ...due.map((deadline) => findDueDeadline(deadline, isoDate(now))),
    ...years.rows.map(findMissedTarget),
  ];
}
