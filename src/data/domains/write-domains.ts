import type { Database, SqlSession } from "../database/types.js";
import { IS_SUBSCRIBER } from "../notifications/is-subscriber.js";
import type { DomainRow } from "./domains.js";

export interface ClaimedDomain extends DomainRow {
  readonly organizationId: string;
}

const COLUMNS = `organization_id AS "organizationId", domain, token, proven_at AS "provenAt", checked_at AS "checkedAt",
  failing_since AS "failingSince"`;

/** Lists the proven domains of an organization, or of all organizations. */
export const listProvenDomains = (
  database: Pick<Database, "select">,
  organizationId: string | null,
): Promise<ClaimedDomain[]> =>
  database.select(
    `SELECT ${COLUMNS} FROM domains WHERE proven_at IS NOT NULL AND ($1::uuid IS NULL OR organization_id = $1::uuid)
     ORDER BY organization_id, domain`,
    [organizationId],
  );

/** Returns true if an organization has proven a domain. */
export async function isProven(
  database: Pick<Database, "select">,
  organizationId: string,
  domain: string,
): Promise<boolean> {
  const rows = await database.select(
    "SELECT FROM domains WHERE organization_id = $1::uuid AND domain = $2 AND proven_at IS NOT NULL",
    [organizationId, domain],
  );
  return rows.length > 0;
}

/** Lists all domains, with the slugs of their organizations. */
export const listAllDomains = (
  database: Pick<Database, "select">,
): Promise<(ClaimedDomain & { readonly organization: string })[]> =>
  database.select(
    `SELECT ${COLUMNS}, o.slug AS organization FROM domains JOIN organizations AS o ON o.id = organization_id ORDER BY o.slug, domain`,
    [],
  );

/**
 * Lists up to `max` organizations with ids after `after` that have a proven domain last checked at or before `before`,
 * by id. Returns none on a subscriber.
 */
export async function listOrganizationsWithDomains(
  database: Pick<Database, "select">,
  { after, max, before }: { readonly after: string; readonly max: number; readonly before: Date },
): Promise<string[]> {
  const rows = await database.select<{ id: string }>(
    `SELECT DISTINCT organization_id AS id FROM domains
     WHERE proven_at IS NOT NULL AND checked_at <= $3::timestamptz AND NOT ${IS_SUBSCRIBER} AND ($1 = '' OR organization_id > nullif($1, '')::uuid)
     ORDER BY 1 LIMIT $2`,
    [after, max, before.toISOString()],
  );
  return rows.map(({ id }) => id);
}

/** Counts an organization's domains. Call it after locking the organization's row. */
export async function countLockedDomains(sql: SqlSession, organizationId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM domains WHERE organization_id = $1::uuid",
    [organizationId],
  );
  return row?.count ?? 0;
}

/** Adds a domain. Returns false if the organization already has it. */
export async function insertDomain(
  sql: SqlSession,
  { organizationId, domain, token }: Pick<ClaimedDomain, "organizationId" | "domain" | "token">,
  now: Date,
): Promise<boolean> {
  const added = await sql.execute(
    `INSERT INTO domains (organization_id, domain, token, created_at) VALUES ($1::uuid, $2, $3, $4::timestamptz)
     ON CONFLICT (organization_id, domain) DO NOTHING`,
    [organizationId, domain, token, now.toISOString()],
  );
  return added > 0;
}

/** Locks and returns a domain; null if it does not exist. */
export async function lockDomain(
  sql: SqlSession,
  organizationId: string,
  domain: string,
): Promise<ClaimedDomain | null> {
  const [row] = await sql.query<ClaimedDomain>(
    `SELECT ${COLUMNS} FROM domains WHERE organization_id = $1::uuid AND domain = $2 FOR UPDATE`,
    [organizationId, domain],
  );
  return row ?? null;
}

/** Stores the result of a check. Throws a unique violation if another organization has proven the domain. */
export async function updateDomain(
  sql: SqlSession,
  { organizationId, domain, provenAt, checkedAt, failingSince }: ClaimedDomain,
): Promise<void> {
  const times = [provenAt, checkedAt, failingSince].map((time) => time?.toISOString() ?? null);
  await sql.execute(
    `UPDATE domains SET proven_at = $3::timestamptz, checked_at = $4::timestamptz, failing_since = $5::timestamptz
     WHERE organization_id = $1::uuid AND domain = $2`,
    [organizationId, domain, ...times],
  );
}

export async function deleteDomain(sql: SqlSession, organizationId: string, domain: string): Promise<void> {
  await sql.execute("DELETE FROM domains WHERE organization_id = $1::uuid AND domain = $2", [
    organizationId,
    domain,
  ]);
}

/** An owner with a confirmed e-mail address. */
export interface OwnerRow {
  readonly id: string;
  readonly email: string;
}

/** Lists up to 100 owners of an organization who can receive e-mail. */
export const listMailableOwners = (sql: SqlSession, organizationId: string): Promise<OwnerRow[]> =>
  sql.query(
    `SELECT u.id, u.email FROM memberships AS m JOIN users AS u ON u.id = m.user_id
     WHERE m.organization_id = $1::uuid AND m.role = 'owner' AND u.disabled_at IS NULL AND u.email_confirmed_at IS NOT NULL
     ORDER BY u.id LIMIT 100`,
    [organizationId],
  );
