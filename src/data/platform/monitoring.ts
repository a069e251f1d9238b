import type { Tier } from "../../domain/tiers.js";
import { isoDate } from "../../domain/window.js";
import type { Database } from "../database/types.js";
import { COUNTS, type PlatformMetric } from "./count-platform.js";
import { AUDIT_JOB } from "./jobs.js";

interface Usage {
  readonly requests: number;
  readonly refused: number;
}

const USAGE = "sum(g.requests)::float8 AS requests, sum(g.refused)::float8 AS refused";
/** `hour` is the start of the hour. */
const LAST_24_HOURS = "g.hour > $1::timestamptz - interval '24 hours'";

/** Sums the requests of the last 24 hours by tier, in alphabetical order. */
export function sumUsageByTier(database: Database, now: Date): Promise<(Usage & { readonly tier: Tier })[]> {
  return database.select(
    `SELECT k.tier::text AS tier, ${USAGE} FROM api_key_usage AS g JOIN api_keys AS k ON k.id = g.key_id
     WHERE ${LAST_24_HOURS} GROUP BY 1 ORDER BY 1`,
    [now],
  );
}

/** Lists the ten organizations with the most requests in the last 24 hours, most first. */
export function listTopConsumers(
  database: Database,
  now: Date,
): Promise<(Usage & { readonly organizationId: string; readonly slug: string })[]> {
  return database.select(
    `SELECT o.id AS "organizationId", o.slug, ${USAGE}
     FROM api_key_usage AS g JOIN api_keys AS k ON k.id = g.key_id JOIN organizations AS o ON o.id = k.organization_id
     WHERE ${LAST_24_HOURS} GROUP BY o.id, o.slug ORDER BY sum(g.requests + g.refused) DESC, o.slug LIMIT 10`,
    [now],
  );
}

/** Finds the last hour in which a request failed; null if none did in the stored usage. */
export async function findLastError(database: Database): Promise<Date | null> {
  const [row] = await database.select<{ hour: Date | null }>(
    "SELECT max(hour) AS hour FROM api_key_usage WHERE errors > 0",
    [],
  );
  return row?.hour ?? null;
}

/** The counts of one day. A missing metric was not counted. */
export type PlatformDayRow = { readonly date: string } & { readonly [Metric in PlatformMetric]?: number };

/** Returns the counts of each day from `first` on, oldest first. Computes today's live. */
export async function listPlatformDays(
  database: Database,
  first: string,
  now: Date,
): Promise<PlatformDayRow[]> {
  const rows = await database.select<{ date: Date; values: { [Metric in PlatformMetric]?: number } }>(
    `SELECT date, json_object_agg(metric, value) AS values FROM (
       SELECT date, metric, value FROM platform_daily WHERE date >= $3::date AND date < $1::date
       UNION ALL SELECT date, metric, value FROM (${COUNTS}) AS counted WHERE date = $1::date
     ) AS counts GROUP BY date ORDER BY date`,
    [isoDate(now), now, first],
  );
  return rows.map(({ date, values }) => ({ date: isoDate(date), ...values }));
}

/** Lists the price feeds, by exchange. */
export function listFeeds(
  database: Database,
): Promise<{ readonly exchange: string; readonly lastReportedAt: Date | null }[]> {
  return database.select(
    `SELECT exchange, last_reported_at AS "lastReportedAt" FROM exchange_feeds ORDER BY exchange`,
    [],
  );
}

interface OutboxSummary {
  readonly waiting: number;
  readonly failed: number;
  readonly heldBack: number;
  readonly dueSince: Date | null;
}

/**
 * Counts the deliveries waiting in the outbox, those abandoned in the last 24 hours, and the notifications of the last
 * 24 hours with held-back deliveries. `dueSince` is the due time of the most overdue delivery.
 */
export async function summarizeOutbox(database: Database, now: Date): Promise<OutboxSummary> {
  const [row] = await database.select<OutboxSummary>(
    `SELECT count(next_at)::float8 AS waiting, min(next_at) FILTER (WHERE next_at <= $1) AS "dueSince",
       count(*) FILTER (WHERE error IS NOT NULL AND done_at > $1::timestamptz - interval '24 hours')::float8 AS failed,
       (SELECT count(*) FROM notifications WHERE held_back AND created_at > $1::timestamptz - interval '24 hours')::float8 AS "heldBack"
     FROM outbox`,
    [now],
  );
  if (!row) throw new Error("the database returned no row");
  return row;
}

/** Reads the version of PostgreSQL and the latest migration. */
export async function readDatabaseVersions(
  database: Database,
): Promise<{ readonly database: string; readonly migration: string }> {
  const [row] = await database.select<{ database: string; migration: string }>(
    `SELECT split_part(current_setting('server_version'), ' ', 1) AS database,
       (SELECT max(migration_name) FROM _prisma_migrations WHERE finished_at IS NOT NULL) AS migration`,
    [],
  );
  if (!row) throw new Error("the database returned no row");
  return row;
}

/** Counts the audit trails and their entries, and returns when all were last verified as intact. */
export async function summarizeTrails(
  database: Database,
): Promise<{ readonly heads: number; readonly entries: number; readonly lastVerifiedAt: Date | null }> {
  const [row] = await database.select<{ heads: number; entries: number; lastVerifiedAt: Date | null }>(
    `SELECT count(*)::float8 AS heads, coalesce(sum(seq), 0)::float8 AS entries,
       (SELECT finished_at FROM jobs WHERE name = $1) AS "lastVerifiedAt" FROM audit_heads`,
    [AUDIT_JOB],
  );
  if (!row) throw new Error("the database returned no row");
  return row;
}
