import type { Role } from "../../domain/people/roles.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { touchGroupsOf } from "../directory/write-groups.js";
import type { OrganizationRow } from "../organizations/organizations.js";
import { countRows, oldestFirst, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { mine, own } from "../tenant/sources.js";

export interface MemberRow {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly userCreatedAt: Date;
  readonly role: Role;
  readonly createdAt: Date;
  readonly hasFactor: boolean;
  readonly hasPassword: boolean;
}

/** The columns of a MemberRow, from a membership `m` with its user's data. */
const COLUMNS = Prisma.sql`m.user_id AS "userId", email, name, user_created_at AS "userCreatedAt", m.role::text AS role,
  m.created_at AS "createdAt", has_factor AS "hasFactor", has_password AS "hasPassword"`;

const LISTED = { from: Prisma.sql`${own.memberships} AS m`, where: [] };

/** Reads a page of the organization's members, oldest first. */
export function listMembers(tenant: TenantReader, page: PageRequest): Promise<Page<MemberRow>> {
  const order = oldestFirst("m.created_at", "m.user_id");
  return readPage(tenant, { select: COLUMNS, ...LISTED, order }, page);
}

export const countMembers = (tenant: TenantReader): Promise<number> => countRows(tenant, LISTED);

/** Returns the names of the organization's members and service accounts with these ids. */
export const findMemberNames = (
  tenant: TenantReader,
  ids: readonly string[],
): Promise<readonly Pick<MemberRow, "userId" | "name">[]> =>
  tenant.query(Prisma.sql`
    SELECT m.user_id AS "userId", m.name FROM ${own.memberships} AS m WHERE m.user_id = ANY(${[...ids]}::uuid[])
    UNION ALL SELECT a.id, a.name FROM ${own.service_accounts} AS a WHERE a.id = ANY(${[...ids]}::uuid[])`);

/** Returns true if the organization has a member with this e-mail address. */
export async function hasMember(tenant: TenantReader, email: string): Promise<boolean> {
  const found = await tenant.query(
    Prisma.sql`SELECT FROM ${own.memberships} AS m WHERE lower(m.email) = lower(${email} COLLATE "C")`,
  );
  return found.length > 0;
}

/** Returns true if the organization has any members. At least one of them is then an owner. */
export async function hasMembers(tenant: TenantReader): Promise<boolean> {
  const found = await tenant.query(Prisma.sql`SELECT FROM ${own.memberships} AS m LIMIT 1`);
  return found.length > 0;
}

/** Locks a member until the transaction ends, and returns it; null if the user is not a member. */
export async function lockMember(
  sql: SqlSession,
  organizationId: string,
  userId: string,
): Promise<MemberRow | null> {
  const { text, values } = Prisma.sql`SELECT ${COLUMNS} FROM memberships AS m
    JOIN (SELECT id, email, name, created_at AS user_created_at, factor_since IS NOT NULL AS has_factor,
      password_hash IS NOT NULL AS has_password FROM users) AS u ON u.id = m.user_id
    WHERE m.organization_id = ${organizationId}::uuid AND m.user_id = ${userId}::uuid FOR UPDATE OF m`;
  const [member] = await sql.query<MemberRow>(text, values);
  return member ?? null;
}

/** Adds a member. Fails with a unique violation if the user already is one. */
export async function insertMember(
  sql: SqlSession,
  organizationId: string,
  userId: string,
  role: Role,
): Promise<void> {
  await sql.execute(
    "INSERT INTO memberships (organization_id, user_id, role) VALUES ($1::uuid, $2::uuid, $3::member_role)",
    [organizationId, userId, role],
  );
}

export async function updateRole(
  sql: SqlSession,
  organizationId: string,
  userId: string,
  role: Role,
): Promise<void> {
  await sql.execute(
    "UPDATE memberships SET role = $3::member_role WHERE organization_id = $1::uuid AND user_id = $2::uuid",
    [organizationId, userId, role],
  );
}

/** Removes a member, and ends the member's sessions in the organization. */
export async function deleteMember(
  sql: SqlSession,
  organizationId: string,
  userId: string,
  now: Date,
): Promise<void> {
  await touchGroupsOf(sql, organizationId, userId, now);
  await sql.execute("DELETE FROM memberships WHERE organization_id = $1::uuid AND user_id = $2::uuid", [
    organizationId,
    userId,
  ]);
  await sql.execute(
    `UPDATE sessions SET revoked_at = $3::timestamptz
     WHERE organization_id = $1::uuid AND user_id = $2::uuid AND revoked_at IS NULL`,
    [organizationId, userId, now.toISOString()],
  );
}

/**
 * Returns true if an organization has an owner. Once this transaction has changed the organization's members, no other
 * transaction can change the result before this one ends.
 */
export async function hasOwner(sql: SqlSession, organizationId: string): Promise<boolean> {
  const owners = await sql.query(
    "SELECT FROM memberships WHERE organization_id = $1::uuid AND role = 'owner' LIMIT 1",
    [organizationId],
  );
  return owners.length > 0;
}

/** An organization that a user is a member of. */
export interface MembershipRow {
  readonly organization: OrganizationRow;
  readonly role: Role;
}

/** Lists the caller's organizations, by name. */
export const listMemberships = (tenant: TenantReader): Promise<readonly MembershipRow[]> =>
  tenant.query<MembershipRow>(Prisma.sql`
    SELECT json_build_object('id', m.organization_id, 'slug', m.organization_slug, 'name', m.organization_name,
      'plan', m.organization_plan) AS organization, m.role::text AS role
    FROM ${mine.memberships} AS m ORDER BY m.organization_name, m.organization_id`);
