import { isoDate } from "../../domain/window.js";
import { write } from "../database/transaction.js";
import type { Database } from "../database/types.js";

/** Metrics counted daily for the whole platform. `requests` and `refused` count requests with API keys. */
export type PlatformMetric =
  | "organizations"
  | "users"
  | "active_users"
  | "api_keys"
  | "records"
  | "requests"
  | "refused";

/**
 * SQL that counts the UTC day $1, which contains the time $2. Also counts the requests of the day before again, because
 * the last of them may have been written late. Reads only sums and small tables.
 */
export const COUNTS = `
  SELECT $1::date AS date, 'organizations' AS metric, count(*) AS value FROM organizations
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
    GROUP BY 1, 2`;

/** Stores today's counts. */
export async function countPlatform(database: Database, now: Date): Promise<void> {
  await write(database, "serve", (sql) =>
    sql.execute(
      `INSERT INTO platform_daily (date, metric, value) ${COUNTS}
       ON CONFLICT (date, metric) DO UPDATE SET value = excluded.value`,
      [isoDate(now), now],
    ),
  );
}
