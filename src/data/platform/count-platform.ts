import { write } from "../database/transaction.js";
import type { Database } from "../database/types.js";

/** What is counted of the whole platform each day. `requests` and `refused` are those of API keys. */
export const PLATFORM_METRICS = [
  "organizations",
  "users",
  "active_users",
  "api_keys",
  "records",
  "requests",
  "refused",
] as const;

export type PlatformMetric = (typeof PLATFORM_METRICS)[number];

/**
 * Writes the counts of the day in UTC on which `now` is, and the requests of the day before, of which the last may have come
 * late. All of it is read from sums and small tables.
 */
export async function countPlatform(database: Database, now: Date): Promise<void> {
  await write(database, "serve", (sql) =>
    sql.execute(
      `INSERT INTO platform_daily (date, metric, value)
       SELECT $1::date, 'organizations', count(*) FROM organizations
       UNION ALL SELECT $1::date, 'users', count(*) FROM users WHERE disabled_at IS NULL
       UNION ALL SELECT $1::date, 'active_users', count(DISTINCT user_id) FROM sessions
         WHERE last_used_at >= $1::date::timestamp AT TIME ZONE 'UTC'
       UNION ALL SELECT $1::date, 'api_keys', count(*) FROM api_keys
         WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2::timestamptz)
       UNION ALL SELECT $1::date, 'records', coalesce(sum(record_count), 0) FROM emission_days WHERE grain = 'month'
       UNION ALL SELECT u.date, counted.metric, sum(counted.value)
         FROM (SELECT (hour AT TIME ZONE 'UTC')::date AS date, requests, refused FROM api_key_usage
               WHERE hour >= ($1::date - 1)::timestamp AT TIME ZONE 'UTC') AS u,
           LATERAL (VALUES ('requests', requests), ('refused', refused)) AS counted (metric, value)
         GROUP BY 1, 2
       ON CONFLICT (date, metric) DO UPDATE SET value = excluded.value`,
      [now.toISOString().slice(0, 10), now],
    ),
  );
}
