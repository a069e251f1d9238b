import { domainToUnicode } from "node:url";
import type { Condition } from "../../domain/directory/filter.js";
import type { ListPage, ListRequest } from "../../domain/directory/service.js";
import { type DirectoryUser, MAX_LISTED_GROUPS } from "../../domain/directory/user.js";
import { Prisma } from "../../generated/prisma/client.js";
import { whereAll } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** Lists an organization's proven domains, in both the Punycode and the Unicode spelling. */
export async function listProvenHosts(tenant: TenantReader): Promise<readonly string[]> {
  const rows = await tenant.query<{ domain: string }>(
    Prisma.sql`SELECT d.domain FROM ${own.domains} AS d WHERE d.proven_at IS NOT NULL`,
  );
  return [...new Set(rows.flatMap(({ domain }) => [domain, domainToUnicode(domain)]))];
}

const FROM = Prisma.sql`${own.memberships} AS m
  LEFT JOIN ${own.directory_users} AS d ON d.user_id = m.user_id`;

const USER_NAME = Prisma.sql`coalesce(d.user_name, m.email)`;

/** The version of a member who is not in the directory yet is a hash of the member's values. */
const COLUMNS = Prisma.sql`m.user_id AS id, ${USER_NAME} AS "userName", d.external_id AS "externalId",
  d.given_name AS "givenName", d.family_name AS "familyName", m.name, m.email, m.disabled_at IS NULL AS active,
  coalesce(d.version, pg_catalog.hashtext(concat_ws(' ', m.email, m.disabled_at, m.name)) & 2147483647) AS version, coalesce(d.created_at, m.created_at) AS "createdAt",
  coalesce(d.updated_at, m.created_at) AS "updatedAt",
  (SELECT count(*)::integer FROM ${own.directory_members} AS e WHERE e.user_id = m.user_id) AS "groupCount"`;

/** Returns SQL that compares a column with a string, ignoring case. */
export const equalsIgnoringCase = (column: Prisma.Sql, value: string) =>
  Prisma.sql`lower(${column}) = lower(${value}::text)`;

/** Conditions by SCIM attribute. */
const COMPARED: Readonly<Record<string, (value: string) => Prisma.Sql>> = {
  userName: (value) => equalsIgnoringCase(USER_NAME, value),
  externalId: (value) => Prisma.sql`d.external_id = ${value}::text`,
  id: (value) => equalsIgnoringCase(Prisma.sql`m.user_id::text`, value),
  "emails.value": (value) => equalsIgnoringCase(Prisma.sql`m.email`, value),
  displayName: (value) => equalsIgnoringCase(Prisma.sql`m.name`, value),
};

function compare({ attribute, value }: Condition): Prisma.Sql {
  if (typeof value === "boolean") return Prisma.sql`(m.disabled_at IS NULL) = ${value}::boolean`;
  const compared = COMPARED[attribute];
  if (compared === undefined) throw new Error(`no filter for the attribute ${attribute}`);
  return compared(value);
}

const ofHosts = (hosts: readonly string[]) =>
  Prisma.sql`lower(split_part(m.email, '@', 2)) = ANY(${[...hosts]}::text[])`;

type UserRow = Omit<DirectoryUser, "groups"> & { readonly groupCount: number };

/**
 * Reads a page of the members with an e-mail address at these hosts, by creation time and id. It ends before it holds
 * more than MAX_LISTED_GROUPS groups.
 */
export async function listDirectoryUsers(
  tenant: TenantReader,
  hosts: readonly string[],
  { conditions, offset, count }: Omit<ListRequest, "withMembers">,
): Promise<ListPage<DirectoryUser>> {
  const where = whereAll([ofHosts(hosts), ...conditions.map(compare)]);
  const order = Prisma.sql`m.created_at, m.user_id`;
  const from = Prisma.sql`${FROM} ${where}`;
  const { total, items } = await readByOffset<UserRow>(
    tenant,
    { select: COLUMNS, from, order },
    { offset, count },
  );
  const fitting = takeFitting(items, ({ groupCount }) => groupCount, MAX_LISTED_GROUPS);
  const groups = await readGroups(tenant, fitting);
  return {
    total,
    items: fitting.map(({ groupCount: _, ...user }) => ({ ...user, groups: groups.get(user.id) ?? [] })),
  };
}

async function readGroups(
  tenant: TenantReader,
  users: readonly UserRow[],
): Promise<ReadonlyMap<string, DirectoryUser["groups"]>> {
  const ids = users.filter(({ groupCount }) => groupCount > 0).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const rows = await tenant.query<Pick<DirectoryUser, "id" | "groups">>(Prisma.sql`
    SELECT e.user_id AS id, json_agg(json_build_object('id', g.id, 'displayName', g.display_name) ORDER BY g.display_name, g.id) AS groups
    FROM ${own.directory_members} AS e JOIN ${own.directory_groups} AS g ON g.id = e.group_id
    WHERE e.user_id = ANY(${ids}::uuid[]) GROUP BY e.user_id`);
  return new Map(rows.map(({ id, groups }) => [id, groups]));
}

/** Returns the first items with at most `max` parts in total, but at least one item. */
export function takeFitting<Item>(
  items: readonly Item[],
  countParts: (item: Item) => number,
  max: number,
): readonly Item[] {
  let room = max;
  return items.filter((item, index) => {
    room -= countParts(item);
    return index === 0 || room >= 0;
  });
}

/** Reads rows by offset, and counts all of them. */
export async function readByOffset<Row>(
  tenant: TenantReader,
  { select, from, order }: Readonly<Record<"select" | "from" | "order", Prisma.Sql>>,
  { offset, count }: Pick<ListRequest, "offset" | "count">,
): Promise<ListPage<Row>> {
  const [counted] = await tenant.query<{ total: number }>(
    Prisma.sql`SELECT count(*)::integer AS total FROM ${from}`,
  );
  const total = counted?.total ?? 0;
  const items =
    count === 0 || offset >= total
      ? []
      : await tenant.query<Row>(
          Prisma.sql`SELECT ${select} FROM ${from} ORDER BY ${order} LIMIT ${count} OFFSET ${offset}`,
        );
  return { total, items };
}

/** Finds a member by id; null if the member does not exist, or has no e-mail address at these hosts. */
export async function findDirectoryUser(
  tenant: TenantReader,
  hosts: readonly string[],
  id: string,
): Promise<DirectoryUser | null> {
  const { items } = await listDirectoryUsers(tenant, hosts, {
    conditions: [{ attribute: "id", value: id }],
    offset: 0,
    count: 1,
  });
  return items[0] ?? null;
}

/** Returns the given ids that belong to members with an e-mail address at these hosts. */
export async function findDirectoryUserIds(
  tenant: TenantReader,
  hosts: readonly string[],
  ids: readonly string[],
): Promise<readonly string[]> {
  const rows = await tenant.query<{ id: string }>(
    Prisma.sql`SELECT m.user_id AS id FROM ${own.memberships} AS m WHERE m.user_id = ANY(${[...ids]}::uuid[]) AND ${ofHosts(hosts)}`,
  );
  return rows.map(({ id }) => id);
}
