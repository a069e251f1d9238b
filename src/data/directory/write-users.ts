import type { ActiveUserFields, UserFields } from "../../domain/directory/user.js";
import type { Role } from "../../domain/people/roles.js";
import type { SqlSession } from "../database/types.js";

/** State of a user account. */
export interface AccountState {
  readonly id: string;
  readonly disabledAt: Date | null;
  /** Organization whose directory disabled it. */
  readonly disabledBy: string | null;
  readonly isConfirmed: boolean;
}

const ACCOUNT = `id, disabled_at AS "disabledAt", disabled_by AS "disabledBy", email_confirmed_at IS NOT NULL AS "isConfirmed"`;

/** Locks the account with an e-mail address until the transaction ends; null if none exists. */
export async function lockAccountByEmail(sql: SqlSession, email: string): Promise<AccountState | null> {
  const [account] = await sql.query<AccountState>(
    `SELECT ${ACCOUNT} FROM users WHERE lower(email) = lower($1::text COLLATE "C") FOR NO KEY UPDATE`,
    [email],
  );
  return account ?? null;
}

/** Locks an account until the transaction ends; null if it does not exist. */
export async function lockAccount(sql: SqlSession, userId: string): Promise<AccountState | null> {
  const [account] = await sql.query<AccountState>(
    `SELECT ${ACCOUNT} FROM users WHERE id = $1::uuid FOR NO KEY UPDATE`,
    [userId],
  );
  return account ?? null;
}

/** Returns true if another member of the organization has the user name or the e-mail address. */
export async function isNameTaken(
  sql: SqlSession,
  organizationId: string,
  userId: string | null,
  { userName, email }: Pick<UserFields, "userName" | "email">,
): Promise<boolean> {
  const rows = await sql.query(
    `SELECT FROM memberships AS m JOIN users AS u ON u.id = m.user_id
       LEFT JOIN directory_users AS d ON d.organization_id = m.organization_id AND d.user_id = m.user_id
     WHERE m.organization_id = $1::uuid AND m.user_id IS DISTINCT FROM $2::uuid
       AND (lower(coalesce(d.user_name, u.email)) = lower($3::text) OR lower(u.email) = lower($4::text))
     LIMIT 1`,
    [organizationId, userId, userName, email],
  );
  return rows.length > 0;
}

/** Adds members to the directory with their current values. Skips members who are already in it. */
export async function addMembersToDirectory(
  sql: SqlSession,
  organizationId: string,
  userIds: readonly string[],
  now: Date,
): Promise<void> {
  await sql.execute(
    `INSERT INTO directory_users (organization_id, user_id, user_name, active, created_at, updated_at)
     SELECT m.organization_id, u.id, u.email, u.disabled_at IS NULL, $3::timestamptz, $3::timestamptz
     FROM memberships AS m JOIN users AS u ON u.id = m.user_id
     WHERE m.organization_id = $1::uuid AND m.user_id = ANY($2::uuid[])
     ON CONFLICT (organization_id, user_id) DO NOTHING`,
    [organizationId, [...userIds], now.toISOString()],
  );
}

/** Adds a member to the directory, or updates the entry. */
export async function saveDirectoryUser(
  sql: SqlSession,
  organizationId: string,
  userId: string,
  fields: ActiveUserFields,
  now: Date,
): Promise<void> {
  const { userName, externalId, givenName, familyName, active } = fields;
  await sql.execute(
    `INSERT INTO directory_users (organization_id, user_id, user_name, external_id, given_name, family_name, active, created_at, updated_at)
     VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6, $7::boolean, $8::timestamptz, $8::timestamptz)
     ON CONFLICT (organization_id, user_id) DO UPDATE SET user_name = excluded.user_name, external_id = excluded.external_id,
       given_name = excluded.given_name, family_name = excluded.family_name, active = excluded.active, updated_at = excluded.updated_at`,
    [organizationId, userId, userName, externalId, givenName, familyName, active, now.toISOString()],
  );
}

/**
 * Disables an account that the directory manages, which allows the organization to end its sessions; with null, enables
 * it. Also voids pending challenges: their seal includes the time of the recovery codes.
 */
export async function setDisabled(
  sql: SqlSession,
  organizationId: string,
  userId: string,
  disabledAt: Date | null,
): Promise<void> {
  await sql.execute(
    `UPDATE users SET disabled_at = $2::timestamptz, disabled_by = CASE WHEN $2::timestamptz IS NULL THEN NULL ELSE $3::uuid END,
       recovery_codes_at = coalesce($2::timestamptz, recovery_codes_at) WHERE id = $1::uuid`,
    [userId, disabledAt?.toISOString() ?? null, organizationId],
  );
}

/**
 * Ends the disabling of an account by the directory of an organization that it joined after `since`, unless that has
 * proven the account's domain.
 */
export async function endForeignDisabling(
  sql: SqlSession,
  userId: string,
  domain: string | undefined,
  since: Date,
): Promise<void> {
  await sql.execute(
    `UPDATE users AS u SET disabled_at = NULL, disabled_by = NULL WHERE id = $1::uuid AND disabled_by IS NOT NULL
       AND NOT EXISTS (SELECT FROM memberships AS m
         WHERE m.organization_id = u.disabled_by AND m.user_id = u.id AND m.created_at <= $3::timestamptz)
       AND NOT EXISTS (SELECT FROM domains AS d
         WHERE d.organization_id = u.disabled_by AND d.proven_at IS NOT NULL AND d.domain = $2)`,
    [userId, domain ?? null, since.toISOString()],
  );
}

/** Returns the role of new users without a group role: the default of the organization's SSO connection, or viewer. */
export async function readDefaultRole(sql: SqlSession, organizationId: string): Promise<Role> {
  const [row] = await sql.query<{ role: Role }>(
    "SELECT default_role AS role FROM sso_connections WHERE organization_id = $1::uuid",
    [organizationId],
  );
  return row?.role ?? "viewer";
}

/** Returns true if an organization has another owner with an enabled account. */
export async function hasOtherOwner(
  sql: SqlSession,
  organizationId: string,
  userId: string,
): Promise<boolean> {
  const rows = await sql.query(
    `SELECT FROM memberships AS m JOIN users AS u ON u.id = m.user_id AND u.disabled_at IS NULL
     WHERE m.organization_id = $1::uuid AND m.role = 'owner' AND m.user_id <> $2::uuid LIMIT 1`,
    [organizationId, userId],
  );
  return rows.length > 0;
}

/** Returns true if an active service account of the organization can write its directory. */
export async function usesDirectory(sql: SqlSession, organizationId: string): Promise<boolean> {
  const rows = await sql.query(
    `SELECT FROM service_accounts WHERE organization_id = $1::uuid AND revoked_at IS NULL AND 'admin:members' = ANY(scopes) LIMIT 1`,
    [organizationId],
  );
  return rows.length > 0;
}

/** Returns true if any organization's directory manages a user. */
export async function isManaged(sql: SqlSession, userId: string): Promise<boolean> {
  const rows = await sql.query(
    `SELECT FROM directory_users AS d WHERE d.user_id = $1::uuid
       AND EXISTS (SELECT FROM service_accounts AS a WHERE a.organization_id = d.organization_id AND a.revoked_at IS NULL
         AND 'admin:members' = ANY(a.scopes)) LIMIT 1`,
    [userId],
  );
  return rows.length > 0;
}
