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
/** Usage is stored by hour, from the start of the hour. */
const LAST_24_HOURS = "g.hour > $1::timestamptz - interval '24 hours'";

/** Sums the requests of keys in the 24 hours before `now`, by tier in alphabetical order. */
export function sumUsageByTier(database: Database, now: Date): Promise<(Usage & { readonly tier: Tier })[]> {
  return database.select(
    `SELECT k.tier::text AS tier, ${USAGE} FROM api_key_usage AS g JOIN api_keys AS k ON k.id = g.key_id
     WHERE ${LAST_24_HOURS} GROUP BY 1 ORDER BY 1`,
    [now],
  );
}

/** Lists the ten organizations whose keys sent most requests in the 24 hours before `now`, most first. */
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

/** Finds the hour in which a request of a key last failed; null if none did in the time for which usage is stored. */
export async function findLastError(database: Database): Promise<Date | null> {
  const [row] = await database.select<{ hour: Date | null }>(
    "SELECT max(hour) AS hour FROM api_key_usage WHERE errors > 0",
    [],
  );
  return row?.hour ?? null;
}

/** The counts of a day. Missing ones were not counted. */
export type PlatformDayRow = { readonly date: string } & { readonly [Metric in PlatformMetric]?: number };

/** Returns the counts of each day from `first` until now, oldest first. Counts today again. */
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

/** Lists the exchanges whose prices are expected daily, by name. */
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
 * Counts e-mails and webhook calls that wait, those given up in the 24 hours before `now`, and notifications of these
 * hours with held-back deliveries. Also returns the time since which one is due.
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

/** Reads the version of PostgreSQL, and the latest migration. */
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

/** Counts the audit trails and their entries, and returns the time at which all were last found whole. */
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
