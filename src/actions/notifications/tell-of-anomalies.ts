import { hash } from "node:crypto";
import { limitTime } from "../../data/database/time-limit.js";
import { write } from "../../data/database/transaction.js";
import type { Database } from "../../data/database/types.js";
import { listOrganizationsToTell } from "../../data/notifications/organizations-to-tell.js";
import { readAsTenant } from "../../data/tenant/reader.js";
import { DEFAULT_THRESHOLDS, SEVERITIES } from "../../domain/foresight/findings.js";
import { lastCompleteMonth } from "../../domain/foresight/series.js";
import { acknowledgedValue, keepAcknowledged } from "../foresight/acknowledge.js";
import { type Anomaly, reportAnomalies } from "../foresight/anomalies.js";
import { completeMonths } from "../foresight/monthly.js";
import { listEmissionSeries } from "../foresight/series.js";
import { type Notice, notify } from "./notify.js";

/** How long one organization's emissions may take to be read. */
const TIME_LIMIT_MS = 30_000;
/** The months that the last one is compared with, itself included. */
const MONTHS = 24;
/** The findings that a notification names. */
const MOST_NAMED = 5;

/**
 * Tells the members of every organization of unusual emissions in the last complete month that nobody has acknowledged, once
 * for as long as they stay the same. Gaps are left out: what is not recorded yet is not unusual.
 */
export async function tellOfAnomalies(database: Database, now: Date): Promise<void> {
  for (const organizationId of await listOrganizationsToTell(database)) {
    const found = await findAnomalies(database, organizationId, now);
    if (found.fresh.length === 0) continue;
    await write(database, "serve", (sql) => notify(sql, describe(organizationId, found, now)));
  }
}

/** What is unusual in the last complete month. */
interface Found {
  readonly all: readonly Anomaly[];
  /** Those that nobody has acknowledged. */
  readonly fresh: readonly Anomaly[];
}

async function findAnomalies(database: Database, organizationId: string, now: Date): Promise<Found> {
  const tenant = readAsTenant(database, organizationId, { now, inTime: limitTime(TIME_LIMIT_MS) });
  const { from, to } = completeMonths(now, MONTHS);
  const series = await listEmissionSeries(tenant, "facility_and_scope", { from, to });
  const { anomalies } = reportAnomalies(series, {
    ...{ types: ["z_score", "yoy"], from: from.slice(0, 7), to: to.slice(0, 7) },
    ...DEFAULT_THRESHOLDS,
  });
  const month = lastCompleteMonth(now);
  const all = anomalies.filter((anomaly) => anomaly.month === month);
  return { all, fresh: await keepAcknowledged(tenant, all, false) };
}

function describe(organizationId: string, { all, fresh }: Found, now: Date): Notice {
  const month = lastCompleteMonth(now);
  // An acknowledgement alone is no news.
  const seen = all.map((anomaly) => `${anomaly.id} ${acknowledgedValue(anomaly)}`).join("\n");
  const lines = fresh
    .slice(0, MOST_NAMED)
    .map(
      ({ series: { facility, scope }, explanation }) =>
        `${facility ?? "Without a facility"}, ${scope?.replace("_", " ")}: ${explanation}`,
    );
  const rest = fresh.length > MOST_NAMED ? [`And ${fresh.length - MOST_NAMED} more.`] : [];
  return {
    ...{ organizationId, to: { membersWith: "read:emissions" }, category: "anomaly", now },
    key: `anomalies ${organizationId} ${month} ${hash("sha256", seen).slice(0, 16)}`,
    severity: SEVERITIES.findLast((level) => fresh.some(({ severity }) => severity === level)) ?? "low",
    title: `${fresh.length === 1 ? "1 unusual amount" : `${fresh.length} unusual amounts`} in ${month}`,
    body: [...lines, ...rest].join("\n"),
    link: "/console/records/findings",
  };
}
