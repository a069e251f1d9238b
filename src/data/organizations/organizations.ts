import type { Tier } from "../../domain/tiers.js";
import type { Organization } from "../../generated/prisma/client.js";
import { LOCK_SEEDS } from "../database/lock-seeds.js";
import { type Writer, write } from "../database/transaction.js";
import type { Database, SqlSession } from "../database/types.js";

/** An organization. Its plan is the highest tier allowed for its keys. */
export type OrganizationRow = Pick<Organization, "id" | "slug" | "name" | "plan">;

/** SQL for an OrganizationRow as JSON, from `organizations AS o`. */
export const ORGANIZATION_JSON =
  "json_build_object('id', o.id, 'slug', o.slug, 'name', o.name, 'plan', o.plan)";

/** Finds the organization with this slug; null if it does not exist. */
export function findOrganization({ prisma }: Database, slug: string): Promise<Organization | null> {
  return prisma.organization.findUnique({ where: { slug } });
}

/** Lists all organizations, by slug. */
export function listOrganizations({ prisma }: Database): Promise<Organization[]> {
  return prisma.organization.findMany({ orderBy: { slug: "asc" } });
}

/** Adds an organization; null if the slug is taken. */
export async function insertOrganization(
  database: Database,
  slug: string,
  name: string,
  plan: Tier,
): Promise<OrganizationRow | null> {
  const [row] = await write(database, "organizations create", (sql) =>
    sql.query<OrganizationRow>(
      `INSERT INTO organizations (slug, name, plan) VALUES ($1, $2, $3::tier) ON CONFLICT (slug) DO NOTHING
       RETURNING id, slug, name, plan`,
      [slug, name, plan],
    ),
  );
  return row ?? null;
}

/** Renames an organization; null if no organization has that slug. */
export async function renameOrganization(
  database: Database,
  slug: string,
  name: string,
  writer: Writer,
): Promise<OrganizationRow | null> {
  const [row] = await write(database, writer, (sql) =>
    sql.query<OrganizationRow>(
      "UPDATE organizations SET name = $2 WHERE slug = $1 RETURNING id, slug, name, plan",
      [slug, name],
    ),
  );
  return row ?? null;
}

/** Changes an organization's plan; null if no organization has that slug. */
export async function updatePlan(
  database: Database,
  slug: string,
  plan: Tier,
): Promise<OrganizationRow | null> {
  const [row] = await write(database, "organizations plan", (sql) =>
    sql.query<OrganizationRow>(
      "UPDATE organizations SET plan = $2::tier WHERE slug = $1 RETURNING id, slug, name, plan",
      [slug, plan],
    ),
  );
  return row ?? null;
}

/** Counts an organization's rows in each table that references it, except the daily sums, which records determine. */
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

/** Deletions and changes of rows that no foreign key ties to the organization `o`. */
const UNTIED = [
  "DELETE FROM webhook_deliveries USING o WHERE organization_id = o.id",
  "DELETE FROM delivery_turns USING o WHERE subject = 'organization ' || o.id",
  // Notifications of verifiers, who belong to other organizations.
  `DELETE FROM notifications USING o, verification_requests AS r
   WHERE r.organization_id = o.id AND notifications.organization_id IS NULL AND notifications.key LIKE 'verification ' || r.id || ' %'`,
  // One for this organization alone is left to nobody.
  `UPDATE announcements SET audience = jsonb_set(audience, '{values}', (audience -> 'values') - o.slug) FROM o
   WHERE audience ->> 'kind' = 'organizations' AND (audience -> 'values') ? o.slug`,
];

/** Deletes an organization and all its data, except its audit trail and the history of its keys. */
export async function deleteOrganization(
  database: Database,
  { id, slug }: Pick<Organization, "id" | "slug">,
): Promise<void> {
  await write(database, "organizations delete", async (sql) => {
    await lockOrganization(sql, slug);
    for (const statement of UNTIED)
      await sql.execute(`WITH o AS (SELECT id, slug FROM organizations WHERE id = $1::uuid) ${statement}`, [
        id,
      ]);
    await sql.execute("DELETE FROM organizations WHERE id = $1::uuid", [id]);
  });
}

/** Returns true if the database has no organizations, benchmarks or prices. */
export async function isEmpty({ prisma }: Database): Promise<boolean> {
  const found = await Promise.all([
    prisma.organization.findFirst({ select: { id: true } }),
    prisma.benchmark.findFirst({ select: { id: true } }),
    prisma.marketPrice.findFirst({ select: { id: true } }),
  ]);
  return found.every((row) => row === null);
}

/** Finds the id of the organization with this slug; undefined if it does not exist. */
export async function findOrganizationId(
  sql: Pick<SqlSession, "query">,
  slug: string,
): Promise<string | undefined> {
  const [row] = await sql.query<{ id: string }>("SELECT id FROM organizations WHERE slug = $1", [slug]);
  return row?.id;
}

/** Maps the codes of an organization's facilities to their ids. */
export async function listFacilityIds(sql: SqlSession, organizationId: string): Promise<Map<string, string>> {
  const rows = await sql.query<{ code: string; id: string }>(
    "SELECT code, id FROM facilities WHERE organization_id = $1::uuid",
    [organizationId],
  );
  return new Map(rows.map(({ code, id }) => [code, id]));
}

/** Maps the codes of an organization's facilities to their ids and countries. */
export async function listFacilityCountries(
  sql: Pick<SqlSession, "query">,
  organizationId: string,
): Promise<Map<string, { readonly id: string; readonly country: string | null }>> {
  const rows = await sql.query<{ code: string; id: string; country: string | null }>(
    "SELECT code, id, country FROM facilities WHERE organization_id = $1::uuid",
    [organizationId],
  );
  return new Map(rows.map(({ code, ...facility }) => [code, facility]));
}

/** Key of the lock, derived from the id: someone could choose a slug whose hash collides with another's. */
const LOCK = `hashtextextended(coalesce((SELECT id::text FROM organizations WHERE slug = $1), $1), ${LOCK_SEEDS.loads})`;

/**
 * Serializes loads and imports of one organization. Holds the lock until the transaction ends. Loads of reference data
 * (no slug) share one lock.
 */
export async function lockOrganization(sql: SqlSession, slug: string | undefined): Promise<void> {
  await sql.query(`SELECT pg_advisory_xact_lock(${LOCK})`, [slug ?? ""]);
}

/** Tries to acquire the same lock without waiting. Returns false if another transaction holds it. */
export async function tryLockOrganization(sql: SqlSession, slug: string): Promise<boolean> {
  const [row] = await sql.query<{ locked: boolean }>(`SELECT pg_try_advisory_xact_lock(${LOCK}) AS locked`, [
    slug,
  ]);
  return row?.locked === true;
}

/** Locks an organization for an export until the transaction ends. Returns false if another export is running. */
export async function tryLockExport(sql: Pick<SqlSession, "query">, id: string): Promise<boolean> {
  const [row] = await sql.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended($1, ${LOCK_SEEDS.exports})) AS locked`,
    [id],
  );
  return row?.locked === true;
}

/** Finds an organization's slug and name by its id; null if it does not exist. */
export async function findOrganizationById(
  sql: Pick<SqlSession, "query">,
  id: string,
): Promise<Pick<Organization, "id" | "slug" | "name"> | null> {
  const [row] = await sql.query<Pick<Organization, "id" | "slug" | "name">>(
    "SELECT id, slug, name FROM organizations WHERE id = $1::uuid",
    [id],
  );
  return row ?? null;
}
