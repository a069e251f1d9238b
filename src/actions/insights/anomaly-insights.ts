import type { Access } from "../../access/context.js";
import { listRetirementIds } from "../../data/credits/monthly.js";
import { listRecordIds } from "../../data/emissions/records-of-months.js";
import { findFacilitiesByCode } from "../../data/facilities/facilities.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import type { SeriesKey } from "../../domain/foresight/anomaly-id.js";
import {
  ANOMALY_CHECKS,
  DEFAULT_THRESHOLDS,
  type Examination,
} from "../../domain/foresight/find-anomalies.js";
import { completeMonthsIn, EXAMINED_MONTHS, monthOf } from "../../domain/foresight/monthly-series.js";
import type { Insight, InsightDays } from "../../domain/insights/insight.js";
import { describeNewAnomalies } from "../../domain/insights/new-anomalies.js";
import { monthNumber } from "../../domain/window.js";
import { keepAcknowledged } from "../foresight/acknowledge.js";
import { reportEmissionAnomalies } from "../foresight/emission-anomalies.js";
import { examineMonthly, isTooManySeries } from "../foresight/examine-series.js";
import { describeAnomaly } from "../foresight/explain.js";
import { listMonthlyCredits } from "../foresight/monthly.js";
import { type Anomaly, type AnomalyReport, reportAnomalies } from "../foresight/report-anomalies.js";

/** The same maximum as for the graph's anomalies. */
const MAX_MONTHS = 60;
const MAX_RECORDS = 20;

/**
 * Returns the complete months of the days, at most 60. Without a first day, returns the latest 24, as the list of
 * anomalies does. Null if the days contain no complete month.
 */
function examinationOf(days: InsightDays, now: Date): Examination | null {
  const months = completeMonthsIn(days, now);
  if (!months) return null;
  const last = monthNumber(months.to);
  const first = days.hasFirstDay
    ? Math.max(monthNumber(months.from), last - MAX_MONTHS + 1)
    : last - EXAMINED_MONTHS + 1;
  return { types: ANOMALY_CHECKS, from: monthOf(first), to: monthOf(last), ...DEFAULT_THRESHOLDS };
}

/**
 * Returns an insight into the unacknowledged emission anomalies of each facility and scope; null without any, and for
 * too many series.
 */
export async function listNewEmissionAnomalies(
  access: Access,
  days: InsightDays,
  now: Date,
): Promise<Insight | null> {
  const examination = examinationOf(days, now);
  if (!examination) return null;
  const report = await reportEmissionAnomalies(access, "facility_and_scope", examination).catch(
    nullIfTooManySeries,
  );
  if (!report) return null;
  const query = queryOf("InsightEmissionAnomalies", examination);
  return describeNew(access, report, { unit: "tCO2e", query }, async ({ month, series }) => {
    const { facility, scope } = series;
    const months = [{ month, facility, scope, category: undefined }];
    return (await listRecordIds(access.tenant, months, MAX_RECORDS))[0] ?? [];
  });
}

/** Returns an insight into the unacknowledged monthly anomalies of retired credits; null without any. */
export async function listNewCreditAnomalies(
  access: Access,
  days: InsightDays,
  now: Date,
): Promise<Insight | null> {
  const examination = examinationOf(days, now);
  if (!examination) return null;
  const { tenant } = access;
  const series = examineMonthly({ credits: true }, await listMonthlyCredits(tenant, now), examination);
  const report = await reportAnomalies([series], examination, tenant);
  const query = queryOf("InsightCreditAnomalies", examination);
  return describeNew(access, report, { unit: "credits", query }, ({ month }) =>
    listRetirementIds(tenant, month, MAX_RECORDS),
  );
}

/** Returns null for too many series, so that the other insights are still listed. */
function nullIfTooManySeries(error: unknown): null {
  if (isTooManySeries(error)) return null;
  throw error;
}

const queryOf = (name: string, { from, to }: Examination) => ({ name, variables: { from, to } });

async function describeNew(
  { tenant }: Access,
  report: AnomalyReport,
  about: { readonly unit: string; readonly query: Insight["query"] },
  listIds: (worst: Anomaly) => Promise<readonly string[]>,
): Promise<Insight | null> {
  const found = await keepAcknowledged(tenant, report, false);
  const place = await report.mostSerious(found);
  if (place === undefined) return null;
  const worst = report.at(place);
  const sentence = describeAnomaly(worst, await nameSeries(tenant, worst.series));
  const query = {
    ...about.query,
    variables: { ...about.query.variables, severity: worst.severity.toUpperCase() },
  };
  return describeNewAnomalies(
    { ...worst, sentence },
    {
      ...about,
      query,
      count: found.length,
      recordIds: await listIds(worst),
    },
  );
}

/** Names the series of an anomaly, such as `Pune mill, scope 2`. */
async function nameSeries(tenant: TenantReader, { facility, scope }: SeriesKey): Promise<string> {
  if (facility === undefined) return scope?.replace("_", " ") ?? "retired credits";
  const [found] = facility === null ? [] : await findFacilitiesByCode(tenant, [facility]);
  return `${found?.name ?? facility ?? "records without a facility"}, ${scope?.replace("_", " ")}`;
}
