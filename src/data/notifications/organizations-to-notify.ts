import type { Database } from "../database/types.js";
import { IS_SUBSCRIBER } from "./is-subscriber.js";

/**
 * Lists up to `max` organizations with ids after `after` that have members, by id. Returns none on a subscriber,
 * because its publisher notifies people.
 */
export async function listOrganizationsToNotify(
  database: Database,
  { after, max }: { readonly after: string; readonly max: number },
): Promise<string[]> {
  const rows = await database.select<{ id: string }>(
    `SELECT o.id FROM organizations AS o
     WHERE NOT ${IS_SUBSCRIBER} AND EXISTS (SELECT FROM memberships AS m WHERE m.organization_id = o.id)
       AND o.id > coalesce(nullif($1, ''), '00000000-0000-0000-0000-000000000000')::uuid
     ORDER BY o.id LIMIT $2`,
    [after, max],
  );
  return rows.map(({ id }) => id);
}

/** Returns true if an announcement that has not ended started after `since`, for whichever audience. */
export async function hasStartedAnnouncement(database: Database, since: Date, now: Date): Promise<boolean> {
  const rows = await database.select(
    `SELECT FROM announcements WHERE starts_at > $1::timestamptz AND starts_at <= $2::timestamptz
       AND (ends_at IS NULL OR ends_at > $2::timestamptz) LIMIT 1`,
    [since.toISOString(), now.toISOString()],
  );
  return rows.length > 0;
}
