import { hash } from "node:crypto";
import { write } from "../../data/database/transaction.js";
import type { Database } from "../../data/database/types.js";
import { readAsTenant } from "../../data/tenant/reader.js";
import { DEFAULT_THRESHOLDS, SEVERITIES } from "../../domain/foresight/find-anomalies.js";
import { lastCompleteMonth } from "../../domain/foresight/monthly-series.js";
import type { Logger } from "../../log.js";
import { limitTime } from "../../time-limit.js";
import { mapInTurns } from "../../turns.js";
import { acknowledgedValue, listAcknowledgements } from "../foresight/acknowledge.js";
import { examineEmissions, isTooManySeries, MAX_SERIES } from "../foresight/examine-series.js";
import { nameMonth } from "../foresight/explain.js";
import { completeMonths } from "../foresight/monthly.js";
import { type Anomaly, reportAnomalies } from "../foresight/report-anomalies.js";
import { type Notice, notify } from "./notify.js";

/** Time limit for reading one organization's emissions. */
const TIME_LIMIT_MS = 30_000;
/** Number of examined months, including the last one. */
const MONTHS = 24;
/** Maximum number of anomalies in the text of a notification. */
const MAX_NAMED = 5;

/**
 * Notifies the members of an organization once of unacknowledged unusual emissions in the last complete month, and
 * again only if that month's anomalies change. Leaves out gaps, because missing records may still arrive. Skips an
 * organization with too many series, and logs that.
 */
export async function notifyOfAnomalies(
  database: Database,
  organizationId: string,
  now: Date,
  log: Pick<Logger, "info">,
): Promise<void> {
  const found = await findAnomalies(database, organizationId, now).catch((error: unknown) => {
    if (!isTooManySeries(error)) throw error;
    const fields = { organization_id: organizationId };
    log.info(fields, `skipped the search for anomalies: more than ${MAX_SERIES} series of emissions`);
    return null;
  });
  if (!found || found.fresh.length === 0) return;
  await write(database, "serve", (sql) => notify(sql, describe(organizationId, found, now)));
}

/** Anomalies of the last complete month. */
interface Found {
  readonly all: readonly Anomaly[];
  /** Unacknowledged anomalies. */
  readonly fresh: readonly Anomaly[];
}

async function findAnomalies(database: Database, organizationId: string, now: Date): Promise<Found> {
  const tenant = readAsTenant(database, organizationId, { now, inTime: limitTime(TIME_LIMIT_MS) });
  const { from, to } = completeMonths(now, MONTHS);
  const span = { from: from.slice(0, 7), to: to.slice(0, 7) };
  const series = await examineEmissions(tenant, "facility_and_scope", span);
  const thresholds = { types: ["z_score", "yoy"], ...DEFAULT_THRESHOLDS } as const;
  const { latest, at } = await reportAnomalies(series, thresholds, tenant);
  const all = await mapInTurns(latest, tenant, at);
  const acknowledged = await listAcknowledgements(tenant, all);
  return { all, fresh: all.filter((_anomaly, index) => !acknowledged[index]) };
}

function describe(organizationId: string, { all, fresh }: Found, now: Date): Notice {
  const month = lastCompleteMonth(now);
  // The key covers all anomalies, because an acknowledgement alone must not cause a notification.
  const seen = all.map((anomaly) => `${anomaly.id} ${acknowledgedValue(anomaly)}`).join("\n");
  const lines = fresh
    .slice(0, MAX_NAMED)
    .map(
      ({ series: { facility, scope }, explanation }) =>
        `${facility ?? "Records without a facility"}, ${scope?.replace("_", " ")}: ${explanation}`,
    );
  const title = `${fresh.length === 1 ? "1 unusual amount" : `${fresh.length} unusual amounts`} in ${nameMonth(month)}`;
  const rest = fresh.length > MAX_NAMED ? [`And ${fresh.length - MAX_NAMED} more.`] : [];
  return {
    organizationId,
    to: { membersWith: "read:emissions" },
    category: "anomaly",
    now,
    key: `anomalies ${organizationId} ${month} ${hash("sha256", seen).slice(0, 16)}`,
    severity: SEVERITIES.findLast((level) => fresh.some(({ severity }) => severity === level)) ?? "low",
    title,
    summary: title,
    body: [...lines, ...rest].join("\n"),
    link: "/console/records/findings",
  };
}
