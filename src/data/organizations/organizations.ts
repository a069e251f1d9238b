import type { Organization } from "../../generated/prisma/client.js";
import type { Database, SqlSession } from "../database/types.js";
import type { CommandName } from "../keys/key-events.js";

export function findOrganization({ prisma }: Database, slug: string): Promise<Organization | null> {
  return prisma.organization.findUnique({ where: { slug } });
}

/** All organizations, by slug. */
export function listOrganizations({ prisma }: Database): Promise<Organization[]> {
  return prisma.organization.findMany({ orderBy: { slug: "asc" } });
}

export function insertOrganization({ prisma }: Database, slug: string, name: string): Promise<Organization> {
  return prisma.organization.create({ data: { slug, name } });
}

/** Renames an organization; null if there is none with that slug. */
export async function renameOrganization(
  { prisma }: Database,
  slug: string,
  name: string,
): Promise<Organization | null> {
  const [organization] = await prisma.organization.updateManyAndReturn({ where: { slug }, data: { name } });
  return organization ?? null;
}

/** The number of an organization's rows by table, without the daily sums, which are derived from the records. */
export function countOrganizationRows(database: Database, id: string): Promise<Record<string, number>> {
  return database.transaction(async (sql) => {
    const tables = await sql.query<{ name: string }>(
      `SELECT conrelid::regclass::text AS name FROM pg_constraint
       WHERE confrelid = 'organizations'::regclass AND contype = 'f' AND conparentid = 0
         AND conrelid <> 'emission_days'::regclass
       ORDER BY name`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const [row] = await sql.query<{ count: number }>(
        `SELECT count(*)::integer AS count FROM ${name} WHERE organization_id = $1::uuid`,
        [id],
      );
      counts[name] = row?.count ?? 0;
    }
    return counts;
  });
}

/** Deletes an organization and everything that belongs to it, except the history of its keys. */
export async function deleteOrganization(
  database: Database,
  { id, slug }: Pick<Organization, "id" | "slug">,
): Promise<void> {
  const command: CommandName = "organizations delete";
  await database.transaction(async (sql) => {
    await sql.query("SELECT set_config('gateway.command', $1, true)", [command]);
    await lockOrganization(sql, slug);
    await sql.execute("DELETE FROM organizations WHERE id = $1::uuid", [id]);
  });
}

/** Whether the database has neither organizations nor reference data. */
export async function isEmpty({ prisma }: Database): Promise<boolean> {
  const found = await Promise.all([
    prisma.organization.findFirst({ select: { id: true } }),
    prisma.benchmark.findFirst({ select: { id: true } }),
    prisma.marketPrice.findFirst({ select: { id: true } }),
  ]);
  return found.every((row) => row === null);
}

/** The id of the organization with this slug; undefined if there is none. */
export async function findOrganizationId(sql: SqlSession, slug: string): Promise<string | undefined> {
  const [row] = await sql.query<{ id: string }>("SELECT id FROM organizations WHERE slug = $1", [slug]);
  return row?.id;
}

/** The ids of an organization's facilities, by code. */
export async function listFacilityIds(sql: SqlSession, organizationId: string): Promise<Map<string, string>> {
  const rows = await sql.query<{ code: string; id: string }>(
    "SELECT code, id FROM facilities WHERE organization_id = $1::uuid",
    [organizationId],
  );
  return new Map(rows.map(({ code, id }) => [code, id]));
}

/**
 * Makes loads and imports of one organization run one after another: the lock is held until the transaction ends. Loads of
 * reference data (no slug) wait for each other, too.
 */
export async function lockOrganization(sql: SqlSession, slug: string | undefined): Promise<void> {
  await sql.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 4327181094))", [slug ?? ""]);
}
