import type { Database } from "../database/types.js";
import { IS_SUBSCRIBER } from "./is-subscriber.js";

/** The ids of the organizations that have members; none on a subscriber, whose publisher tells them. */
export async function listOrganizationsToTell(database: Database): Promise<string[]> {
  const rows = await database.select<{ id: string }>(
    `SELECT DISTINCT organization_id AS id FROM memberships WHERE NOT ${IS_SUBSCRIBER} ORDER BY 1`,
    [],
  );
  return rows.map(({ id }) => id);
}
