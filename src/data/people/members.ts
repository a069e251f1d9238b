import type { Role } from "../../domain/people/roles.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { Database, SqlSession } from "../database/types.js";
import type { OrganizationRow } from "../organizations/organizations.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import { oldestFirst, type RowReader } from "./rows.js";

/** A member of an organization. */
export interface MemberRow {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly userCreatedAt: Date;
  readonly role: Role;
  readonly createdAt: Date;
}

const COLUMNS = Prisma.sql`u.id AS "userId", u.email, u.name, u.created_at AS "userCreatedAt", m.role::text AS role,
  m.created_at AS "createdAt"`;

const listed = (organizationId: string) => ({
  from: Prisma.sql`memberships AS m JOIN users AS u ON u.id = m.user_id`,
  where: [Prisma.sql`m.organization_id = ${organizationId}::uuid`],
});

/** A page of an organization's members, oldest first. */
export function listMembers(
  rows: RowReader,
  organizationId: string,
  page: PageRequest,
): Promise<Page<MemberRow>> {
  const order = oldestFirst("m.created_at", "m.user_id");
  return readPage(rows, { select: COLUMNS, ...listed(organizationId), order }, page);
}

/** How many members an organization has. */
export const countMembers = (rows: RowReader, organizationId: string): Promise<number> =>
  countRows(rows, listed(organizationId));

/** Whether an organization has a member with this e-mail address. */
export async function hasMember(database: Database, organizationId: string, email: string): Promise<boolean> {
  const found = await database.select(
    `SELECT FROM memberships AS m JOIN users AS u ON u.id = m.user_id
     WHERE m.organization_id = $1::uuid AND lower(u.email) = lower($2 COLLATE "C")`,
    [organizationId, email],
  );
  return found.length > 0;
}

/** Whether an organization has any members. One of them is then an owner. */
export async function hasMembers(database: Database, organizationId: string): Promise<boolean> {
  const found = await database.select("SELECT FROM memberships WHERE organization_id = $1::uuid LIMIT 1", [
    organizationId,
  ]);
  return found.length > 0;
}

/** Finds a member, who cannot be changed by others until the transaction ends; null if the person is no member. */
export async function lockMember(
  sql: SqlSession,
  organizationId: string,
  userId: string,
): Promise<MemberRow | null> {
  const { text, values } =
    Prisma.sql`SELECT ${COLUMNS} FROM memberships AS m JOIN users AS u ON u.id = m.user_id
    WHERE m.organization_id = ${organizationId}::uuid AND m.user_id = ${userId}::uuid FOR UPDATE OF m`;
  const [member] = await sql.query<MemberRow>(text, values);
  return member ?? null;
}

/** Changes a member's role. */
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

/** Whether an organization has an owner. After a change to its members in the same transaction, no other can change that. */
export async function hasOwner(sql: SqlSession, organizationId: string): Promise<boolean> {
  const owners = await sql.query(
    "SELECT FROM memberships WHERE organization_id = $1::uuid AND role = 'owner' LIMIT 1",
    [organizationId],
  );
  return owners.length > 0;
}

/** An organization that a person is a member of. */
export interface MembershipRow {
  readonly organization: OrganizationRow;
  readonly role: Role;
}

/** The organizations that a person is a member of, by name. */
export function listMemberships(rows: RowReader, userId: string): Promise<readonly MembershipRow[]> {
  return rows.query<MembershipRow>(Prisma.sql`
    SELECT json_build_object('id', o.id, 'slug', o.slug, 'name', o.name, 'plan', o.plan) AS organization, m.role::text AS role
    FROM memberships AS m JOIN organizations AS o ON o.id = m.organization_id
    WHERE m.user_id = ${userId}::uuid ORDER BY o.name, o.id`);
}
