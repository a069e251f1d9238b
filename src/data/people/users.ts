import type { Role } from "../../domain/people/roles.js";
import type { Database, SqlSession } from "../database/types.js";

/** A user's account, as needed for authentication. */
export interface Account {
  readonly id: string;
  /** As the user typed it. */
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
  /** Null for a user without a password. */
  readonly passwordHash: string | null;
  readonly disabledAt: Date | null;
  /** True if the e-mail address is confirmed, by a mailed link or an operator. */
  readonly isConfirmed: boolean;
  /** True if the user has signed in from the request's IP address in the last 30 days. */
  readonly isKnownAddress: boolean;
}

const COLUMNS = `u.id, u.email, u.name, u.created_at AS "createdAt", u.password_hash AS "passwordHash",
  u.disabled_at AS "disabledAt", u.email_confirmed_at IS NOT NULL AS "isConfirmed"`;

/** Column: true if the user `u` has signed in from the IP address $2 in the 30 days before $3. */
const IS_KNOWN_ADDRESS = `EXISTS (SELECT FROM sessions AS s WHERE s.user_id = u.id AND s.address = $2
  AND s.created_at > $3::timestamptz - interval '30 days') AS "isKnownAddress"`;

/** Finds the account with an e-mail address, ignoring case; null if it does not exist. */
export async function findAccountByEmail(
  database: Database,
  email: string,
  address: string,
  now: Date,
): Promise<Account | null> {
  const [account] = await database.select<Account>(
    `SELECT ${COLUMNS}, ${IS_KNOWN_ADDRESS} FROM users AS u WHERE lower(u.email) = lower($1::text COLLATE "C")`,
    [email, address, now.toISOString()],
  );
  return account ?? null;
}

export async function findAccountById(
  database: Database,
  id: string,
  address: string,
  now: Date,
): Promise<Account | null> {
  const [account] = await database.select<Account>(
    `SELECT ${COLUMNS}, ${IS_KNOWN_ADDRESS} FROM users AS u WHERE u.id = $1::uuid`,
    [id, address, now.toISOString()],
  );
  return account ?? null;
}

/** An organization with a user's role in it. */
export interface OwnOrganization {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly role: Role;
}

/**
 * Finds the organization to activate at sign-in: that of the user's latest session, or else of their oldest membership;
 * null if the user is not a member of any.
 */
export async function findActiveOrganization(
  sql: Pick<SqlSession, "query">,
  userId: string,
): Promise<OwnOrganization | null> {
  const [organization] = await sql.query<OwnOrganization>(
    `SELECT o.id, o.slug, o.name, m.role::text AS role
     FROM memberships AS m JOIN organizations AS o ON o.id = m.organization_id
     WHERE m.user_id = $1::uuid
     ORDER BY o.id = (SELECT s.organization_id FROM sessions AS s WHERE s.user_id = $1::uuid ORDER BY s.created_at DESC LIMIT 1)
       DESC NULLS LAST, m.created_at, o.id
     LIMIT 1`,
    [userId],
  );
  return organization ?? null;
}

/** Finds a user's organization by its slug; null if the user is not a member of it. */
export async function findOwnOrganization(
  database: Database,
  userId: string,
  slug: string,
): Promise<OwnOrganization | null> {
  const [organization] = await database.select<OwnOrganization>(
    `SELECT o.id, o.slug, o.name, m.role::text AS role
     FROM memberships AS m JOIN organizations AS o ON o.id = m.organization_id
     WHERE m.user_id = $1::uuid AND o.slug = $2`,
    [userId, slug],
  );
  return organization ?? null;
}
