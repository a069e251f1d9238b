import type { Access } from "../../access/context.js";
import { listRetirementIds } from "../../data/credits/monthly.js";
import { listRecordIds } from "../../data/emissions/records-of-months.js";
import { ANOMALY_TYPES, DEFAULT_THRESHOLDS, type Examination } from "../../domain/foresight/findings.js";
import { lastCompleteMonth, monthOf } from "../../domain/foresight/series.js";
import { findNewAnomalies } from "../../domain/insights/anomalies.js";
import type { Insight } from "../../domain/insights/insight.js";
import { type DateRange, endOfMonth, monthNumber } from "../../domain/window.js";
import { keepAcknowledged } from "../foresight/acknowledge.js";
import { type Anomaly, reportAnomalies } from "../foresight/anomalies.js";
import { listMonthlyCredits } from "../foresight/monthly.js";
import { listEmissionSeries, type Series } from "../foresight/series.js";

/** The same as the most that the graph's anomalies take. */
const MOST_MONTHS = 60;
const MOST_RECORDS = 20;
const YEAR = 12;

/** The complete months of a range, at most 60; null if it has none. */
function examine(range: DateRange, now: Date): Examination | null {
  const last = lastCompleteMonth(now);
  const to = range.to.slice(0, 7) < last ? range.to.slice(0, 7) : last;
  const first = Math.max(monthNumber(range.from), monthNumber(to) - MOST_MONTHS + 1);
  if (first > monthNumber(to)) return null;
  return { types: ANOMALY_TYPES, from: monthOf(first), to, ...DEFAULT_THRESHOLDS };
}

/** The findings of series that nobody has acknowledged, latest month first. */
const listNew = ({ tenant }: Access, series: readonly Series[], examination: Examination) =>
  keepAcknowledged(tenant, reportAnomalies(series, examination).anomalies, false);

/** What is unusual in the emissions of each facility and scope and was not acknowledged. */
export async function listNewEmissionAnomalies(
  access: Access,
  range: DateRange,
  now: Date,
): Promise<Insight | null> {
  const examination = examine(range, now);
  if (!examination) return null;
  const { from, to } = examination;
  const read = {
    from: `${monthOf(monthNumber(from) - YEAR)}-01`,
    to: endOfMonth(new Date(`${to}-01T00:00:00Z`), 0),
  };
  const series = await listEmissionSeries(access.tenant, "facility_and_scope", read);
  const found = await listNew(access, series, examination);
  const months = found.slice(0, 1).map(({ month, series: { facility, scope } }) => ({
    ...{ month, facility, scope, category: undefined },
  }));
  const [recordIds = []] = months.length > 0 ? await listRecordIds(access.tenant, months, MOST_RECORDS) : [];
  return describe(found, examination, "tCO2e", "InsightEmissionAnomalies", recordIds);
}

/** What is unusual in the credits that were retired by month and was not acknowledged. */
export async function listNewCreditAnomalies(
  access: Access,
  range: DateRange,
  now: Date,
): Promise<Insight | null> {
  const examination = examine(range, now);
  if (!examination) return null;
  const series = [{ key: { credits: true as const }, ...(await listMonthlyCredits(access.tenant, now)) }];
  const found = await listNew(access, series, examination);
  const [latest] = found;
  const recordIds = latest ? await listRetirementIds(access.tenant, latest.month, MOST_RECORDS) : [];
  return describe(found, examination, "credits", "InsightCreditAnomalies", recordIds);
}

const describe = (
  found: readonly Anomaly[],
  { from, to }: Examination,
  unit: string,
  name: string,
  recordIds: readonly string[],
) => findNewAnomalies(found, { unit, query: { name, variables: { from, to } }, recordIds });
