import { domainOf } from "../../domain/domains/domain-name.js";
import type { Database, SqlSession } from "../database/types.js";

/** Runs queries, inside or outside a transaction. */
export type Queryable = Pick<SqlSession, "query">;

/** Runs queries outside a transaction, for reads before the organization is known. */
export const asQueryable = ({ select }: Database): Queryable => ({ query: select });

/** Locks the members of an organization until the transaction ends, and lists them. */
export const lockMembers = (
  sql: SqlSession,
  organizationId: string,
): Promise<{ readonly id: string; readonly email: string }[]> =>
  sql.query(
    `SELECT u.id, u.email FROM users AS u WHERE u.id IN (SELECT m.user_id FROM memberships AS m WHERE m.organization_id = $1::uuid)
     ORDER BY u.id FOR NO KEY UPDATE OF u`,
    [organizationId],
  );

/** Returns the ids of those users who are enabled owners with a password and a second factor. */
export const listBreakGlassOwners = (
  sql: SqlSession,
  organizationId: string,
  ids: readonly string[],
): Promise<{ readonly id: string }[]> =>
  sql.query(
    `SELECT u.id FROM memberships AS m JOIN users AS u ON u.id = m.user_id
     WHERE m.organization_id = $1::uuid AND m.role = 'owner' AND u.id = ANY($2::uuid[]) AND u.disabled_at IS NULL
       AND u.password_hash IS NOT NULL AND u.factor_since IS NOT NULL`,
    [organizationId, [...ids]],
  );

/** Ends the users' sessions that did not begin with this connection. */
export async function endOtherSessions(
  sql: SqlSession,
  connectionId: string,
  userIds: readonly string[],
  now: Date,
): Promise<void> {
  await sql.execute(
    `UPDATE sessions AS s SET revoked_at = $3::timestamptz
     WHERE s.user_id = ANY($2::uuid[]) AND s.revoked_at IS NULL AND s.expires_at > $3::timestamptz
       AND NOT EXISTS (SELECT FROM identities AS i WHERE i.id = s.identity_id AND i.connection_id = $1::uuid)`,
    [connectionId, [...userIds], now.toISOString()],
  );
}

/** SQL for the connections `c` that are enforced for addresses of the domain $1. */
const ENFORCED = `domains AS d JOIN sso_connections AS c ON c.organization_id = d.organization_id
  WHERE d.domain = $1 AND d.proven_at IS NOT NULL AND c.enforced_at IS NOT NULL`;

/** Returns true if nobody may register with an address, because its domain enforces single sign-on. */
export async function isReserved(sql: Queryable, email: string): Promise<boolean> {
  const rows = await sql.query(`SELECT FROM ${ENFORCED}`, [domainOf(email) ?? ""]);
  return rows.length > 0;
}

/** SQL that is true if the membership `m` is that of a break-glass owner of the connection `c`. */
const IS_BREAK_GLASS = "m.role = 'owner' AND m.user_id = ANY (c.break_glass)";

/** A user, with the current address. */
interface Person {
  readonly id: string;
  readonly email: string;
}

/** Finds the connection with which a user must sign in; null if the user may sign in another way. */
export async function findEnforcedConnection(
  sql: Queryable,
  { id, email }: Person,
): Promise<{ readonly id: string; readonly organizationId: string } | null> {
  const [row] = await sql.query<{ readonly id: string; readonly organizationId: string }>(
    `SELECT c.id, c.organization_id AS "organizationId" FROM ${ENFORCED} AND EXISTS (SELECT FROM memberships AS m
       WHERE m.organization_id = c.organization_id AND m.user_id = $2::uuid AND NOT (${IS_BREAK_GLASS}))`,
    [domainOf(email) ?? "", id],
  );
  return row ?? null;
}

/** Returns true if a user must sign in with an organization's identity provider. */
export const mustUseProvider = async (sql: Queryable, person: Person): Promise<boolean> =>
  (await findEnforcedConnection(sql, person)) !== null;

/** Lists the organizations with enforced single sign-on of which a user is a break-glass owner. */
export const listBreakGlassOf = (
  sql: Queryable,
  userId: string,
): Promise<{ readonly organizationId: string }[]> =>
  sql.query(
    `SELECT c.organization_id AS "organizationId" FROM sso_connections AS c
     JOIN memberships AS m ON m.organization_id = c.organization_id AND m.user_id = $1::uuid
     WHERE c.enforced_at IS NOT NULL AND ${IS_BREAK_GLASS}`,
    [userId],
  );

/** Returns true if a user is listed as a break-glass owner of the organization's enforced connection. */
export async function isBreakGlass(
  sql: SqlSession,
  organizationId: string,
  userId: string,
): Promise<boolean> {
  const rows = await sql.query(
    "SELECT FROM sso_connections WHERE organization_id = $1::uuid AND enforced_at IS NOT NULL AND $2::uuid = ANY(break_glass)",
    [organizationId, userId],
  );
  return rows.length > 0;
}
