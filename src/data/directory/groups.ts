import type { Condition } from "../../domain/directory/filter.js";
import { type DirectoryGroup, MAX_MEMBERS } from "../../domain/directory/group.js";
import type { ListPage, ListRequest } from "../../domain/directory/service.js";
import type { ClaimedRole } from "../../domain/sso/role-rules.js";
import { Prisma } from "../../generated/prisma/client.js";
import { countRows, type Page, type PageRequest, readPage, whereAll } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { equalsIgnoringCase, readByOffset, takeFitting } from "./users.js";

/** A directory group, with the role that an owner assigned to it. */
export interface GroupRow extends Omit<DirectoryGroup, "members"> {
  readonly role: ClaimedRole | null;
  readonly memberCount: number;
}

const COLUMNS = Prisma.sql`g.id, g.display_name AS "displayName", g.external_id AS "externalId", g.role::text AS role, g.version,
  g.created_at AS "createdAt", g.updated_at AS "updatedAt",
  (SELECT count(*)::integer FROM ${own.directory_members} AS e WHERE e.group_id = g.id) AS "memberCount"`;

const LISTED = { from: Prisma.sql`${own.directory_groups} AS g`, where: [] };

/** Reads a page of the directory's groups, by name. */
export const listGroups = (tenant: TenantReader, page: PageRequest): Promise<Page<GroupRow>> =>
  readPage(
    tenant,
    { select: COLUMNS, ...LISTED, order: { columns: [["g.display_name", "text"]], descending: false } },
    page,
  );

/** Counts the directory's groups. */
export const countGroups = (tenant: TenantReader): Promise<number> => countRows(tenant, LISTED);

/** Finds a group by id; null if it does not exist. */
export async function findGroup(tenant: TenantReader, id: string): Promise<GroupRow | null> {
  const [row] = await tenant.query<GroupRow>(
    Prisma.sql`SELECT ${COLUMNS} FROM ${own.directory_groups} AS g WHERE g.id = ${id}::uuid`,
  );
  return row ?? null;
}

/** Conditions by SCIM attribute. */
const COMPARED: Readonly<Record<string, (value: string) => Prisma.Sql>> = {
  displayName: (value) => equalsIgnoringCase(Prisma.sql`g.display_name`, value),
  externalId: (value) => Prisma.sql`g.external_id = ${value}::text`,
  id: (value) => equalsIgnoringCase(Prisma.sql`g.id::text`, value),
};

function compare({ attribute, value }: Condition): Prisma.Sql {
  const compared = COMPARED[attribute];
  if (compared === undefined) throw new Error(`no filter for the attribute ${attribute}`);
  return compared(String(value));
}

/** A group with its members; the set is empty if the request excludes them. */
export type ListedGroup = DirectoryGroup & GroupRow;

/**
 * Reads a page of the directory's groups, by creation time and id. If the page includes members, it ends before it
 * holds more than MAX_MEMBERS.
 */
export async function listDirectoryGroups(
  tenant: TenantReader,
  { conditions, withMembers, ...part }: ListRequest,
): Promise<ListPage<ListedGroup>> {
  const where = whereAll(conditions.map(compare));
  const order = Prisma.sql`g.created_at, g.id`;
  const { total, items } = await readByOffset<GroupRow>(
    tenant,
    { select: COLUMNS, from: Prisma.sql`${LISTED.from} ${where}`, order },
    part,
  );
  if (!withMembers) return { total, items: items.map((group) => ({ ...group, members: new Set<string>() })) };
  const fitting = takeFitting(items, ({ memberCount }) => memberCount, MAX_MEMBERS);
  const members = await readMembers(tenant, fitting);
  return {
    total,
    items: fitting.map((group) => ({ ...group, members: members.get(group.id) ?? new Set() })),
  };
}

async function readMembers(
  tenant: TenantReader,
  groups: readonly GroupRow[],
): Promise<ReadonlyMap<string, Set<string>>> {
  if (!groups.some(({ memberCount }) => memberCount > 0)) return new Map();
  const rows = await tenant.query<{ id: string; members: string[] }>(Prisma.sql`
    SELECT e.group_id AS id, json_agg(e.user_id ORDER BY e.user_id) AS members FROM ${own.directory_members} AS e
    WHERE e.group_id = ANY(${groups.map(({ id }) => id)}::uuid[]) GROUP BY e.group_id`);
  return new Map(rows.map(({ id, members }) => [id, new Set(members)]));
}

/** Finds a group with its members; null if it does not exist. */
export async function findDirectoryGroup(tenant: TenantReader, id: string): Promise<ListedGroup | null> {
  const { items } = await listDirectoryGroups(tenant, {
    conditions: [{ attribute: "id", value: id }],
    offset: 0,
    count: 1,
    withMembers: true,
  });
  return items[0] ?? null;
}
