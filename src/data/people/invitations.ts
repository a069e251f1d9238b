import { ROLE_SCOPES, type Role } from "../../domain/people/roles.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { Database, SqlSession } from "../database/types.js";
import { lockOrganizationRow } from "../organizations/lock-row.js";
import { ORGANIZATION_JSON, type OrganizationRow } from "../organizations/organizations.js";
import { countRows, oldestFirst, type Page, type PageRequest, readPage, whereAll } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** An invitation, without its token. */
export interface InvitationRow {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** An invitation that can be accepted. */
export interface OpenInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly organization: OrganizationRow;
  /** Name of the inviting user or service account; null for a command. */
  readonly inviter: string | null;
  /** True for the mailed token, whose holder must be able to read mail to the address. */
  readonly isMailed: boolean;
  /** True if the organization has no owner yet, and this would not add one. The first member must be an owner. */
  readonly needsOwnerFirst: boolean;
}

const ALL = {
  members: Prisma.sql`memberships AS m JOIN users AS u ON u.id = m.user_id`,
  accounts: Prisma.sql`service_accounts AS a`,
};

/** The scopes of each role, as array literals of PostgreSQL. */
const ARRAYS = JSON.stringify(
  Object.fromEntries(Object.entries(ROLE_SCOPES).map(([role, scopes]) => [role, `{${scopes.join(",")}}`])),
);

/**
 * Returns the condition that an invitation `i` can be accepted: it was not used or revoked, has not expired, and its
 * creator may still send it. Users and service accounts that manage members may, but only owners may invite an owner,
 * and only a service account with all scopes of the role may invite to it. A command always may. `members` are memberships `m` with their users' `disabled_at`; `accounts` are service accounts
 * `a`.
 */
const isOpen = (
  now: Date,
  { members, accounts } = ALL,
) => Prisma.sql`i.accepted_at IS NULL AND i.revoked_at IS NULL
  AND i.expires_at > ${now.toISOString()}::timestamptz
  AND (i.invited_by IS NULL OR EXISTS (
    SELECT FROM ${members}
    WHERE m.organization_id = i.organization_id AND m.user_id = i.invited_by AND disabled_at IS NULL
      AND m.role >= greatest('admin', i.role))
    OR EXISTS (
      SELECT FROM ${accounts} WHERE a.organization_id = i.organization_id AND a.id = i.invited_by
        AND a.revoked_at IS NULL AND a.role = 'admin' AND 'manage:members' = ANY(a.scopes)
        AND a.scopes::text[] @> (${ARRAYS}::jsonb ->> i.role::text)::text[]))`;

const COLUMNS = Prisma.sql`i.id, i.email, i.role::text AS role, i.created_at AS "createdAt", i.expires_at AS "expiresAt"`;

/** Finds an invitation by the possible hashes of its token; null unless it can be accepted. */
export async function findOpenInvitation(
  database: Pick<Database, "select">,
  hashes: readonly string[],
  now: Date,
): Promise<OpenInvitation | null> {
  const { text, values } = Prisma.sql`
    SELECT i.id, i.email, i.role::text AS role, ${Prisma.raw(ORGANIZATION_JSON)} AS organization,
      coalesce((SELECT u.name FROM users AS u WHERE u.id = i.invited_by),
        (SELECT a.name FROM service_accounts AS a WHERE a.id = i.invited_by)) AS inviter,
      i.role <> 'owner' AND NOT EXISTS (
        SELECT FROM memberships AS m WHERE m.organization_id = o.id AND m.role = 'owner') AS "needsOwnerFirst",
      coalesce(i.mail_token_hash = ANY(${[...hashes]}::text[]), false) AS "isMailed"
    FROM invitations AS i JOIN organizations AS o ON o.id = i.organization_id
    WHERE (i.token_hash = ANY(${[...hashes]}::text[]) OR i.mail_token_hash = ANY(${[...hashes]}::text[])) AND ${isOpen(now)}`;
  const [found] = await database.select<OpenInvitation>(text, values);
  return found ?? null;
}

/**
 * Accepts an invitation for a user. An existing member keeps their role. Returns false, and writes nothing, if the
 * invitation can no longer be accepted.
 */
export async function acceptInvitation(
  sql: SqlSession,
  { id, role, organization, isMailed }: OpenInvitation,
  userId: string,
  now: Date,
): Promise<boolean> {
  // Checked again, because the creator may have lost the right to send it while a password was checked.
  const { text, values } =
    Prisma.sql`UPDATE invitations AS i SET accepted_at = ${now.toISOString()}::timestamptz
    WHERE i.id = ${id}::uuid AND ${isOpen(now)}`;
  if ((await sql.execute(text, values)) === 0) return false;
  // The user can read mail to the address, or an operator vouches for it by using a command.
  await sql.execute(
    `UPDATE users AS u SET email_confirmed_at = $3::timestamptz FROM invitations AS i
     WHERE u.id = $2::uuid AND u.email_confirmed_at IS NULL AND i.id = $1::uuid
       AND (i.invited_by IS NULL OR $4::boolean) AND lower(i.email) = lower(u.email)`,
    [id, userId, now.toISOString(), isMailed],
  );
  await sql.execute(
    `INSERT INTO memberships (organization_id, user_id, role) VALUES ($1::uuid, $2::uuid, $3::member_role)
     ON CONFLICT DO NOTHING`,
    [organization.id, userId, role],
  );
  return true;
}

export interface NewInvitation extends Omit<InvitationRow, "id"> {
  readonly organizationId: string;
  readonly tokenHash: string;
  /** Hash of the mailed token; null if none is mailed. */
  readonly mailTokenHash: string | null;
  /** The inviting user or service account; null for a command. */
  readonly invitedBy: string | null;
}

/**
 * Revokes the organization's invitations to an e-mail address. Returns the roles of those that had not expired. Locks
 * the organization's row until the transaction ends.
 */
export async function revokeInvitationsOf(
  sql: SqlSession,
  organizationId: string,
  email: string,
  now: Date,
): Promise<Role[]> {
  await lockOrganizationRow(sql, organizationId);
  const revoked = await sql.query<{ role: Role; isOpen: boolean }>(
    `UPDATE invitations SET revoked_at = $3::timestamptz
     WHERE organization_id = $1::uuid AND lower(email) = lower($2 COLLATE "C") AND accepted_at IS NULL AND revoked_at IS NULL
     RETURNING role::text AS role, expires_at > $3::timestamptz AS "isOpen"`,
    [organizationId, email, now.toISOString()],
  );
  return revoked.flatMap(({ role, isOpen }) => (isOpen ? [role] : []));
}

export async function insertInvitation(sql: SqlSession, invitation: NewInvitation): Promise<InvitationRow> {
  const { organizationId, email, role, tokenHash, mailTokenHash, invitedBy } = invitation;
  const { createdAt, expiresAt } = invitation;
  const [row] = await sql.query<{ id: string }>(
    `INSERT INTO invitations (organization_id, email, role, token_hash, invited_by, created_at, expires_at, mail_token_hash)
     VALUES ($1::uuid, $2, $3::member_role, $4, $5::uuid, $6::timestamptz, $7::timestamptz, $8) RETURNING id`,
    [
      organizationId,
      email,
      role,
      tokenHash,
      invitedBy,
      createdAt.toISOString(),
      expiresAt.toISOString(),
      mailTokenHash,
    ],
  );
  if (!row) throw new Error("an invitation was inserted, but not returned");
  return { id: row.id, email, role, createdAt, expiresAt };
}

/** Revokes an invitation. Returns false if it does not exist, or was already used or revoked. */
export async function revokeInvitation(
  sql: SqlSession,
  organizationId: string,
  id: string,
  now: Date,
): Promise<boolean> {
  const revoked = await sql.execute(
    `UPDATE invitations SET revoked_at = $3::timestamptz
     WHERE organization_id = $1::uuid AND id = $2::uuid AND accepted_at IS NULL AND revoked_at IS NULL`,
    [organizationId, id, now.toISOString()],
  );
  return revoked > 0;
}

const listed = (now: Date) => ({
  from: Prisma.sql`${own.invitations} AS i`,
  where: [
    isOpen(now, {
      members: Prisma.sql`${own.memberships} AS m`,
      accounts: Prisma.sql`${own.service_accounts} AS a`,
    }),
  ],
});

/** Finds an invitation of the organization; null unless it can be accepted. */
export async function findInvitation(
  tenant: TenantReader,
  id: string,
  now: Date,
): Promise<InvitationRow | null> {
  const { from, where } = listed(now);
  const [row] = await tenant.query<InvitationRow>(
    Prisma.sql`SELECT ${COLUMNS} FROM ${from} ${whereAll([...where, Prisma.sql`i.id = ${id}::uuid`])}`,
  );
  return row ?? null;
}

/** Reads a page of the organization's invitations that can be accepted, oldest first. */
export function listInvitations(
  tenant: TenantReader,
  now: Date,
  page: PageRequest,
): Promise<Page<InvitationRow>> {
  const order = oldestFirst("i.created_at", "i.id");
  return readPage(tenant, { select: COLUMNS, ...listed(now), order }, page);
}

export const countInvitations = (tenant: TenantReader, now: Date): Promise<number> =>
  countRows(tenant, listed(now));
