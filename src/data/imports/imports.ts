import type { ImportQuestion } from "../../domain/emissions/questions.js";
import { Prisma } from "../../generated/prisma/client.js";
import { timeSql } from "../database/time-sql.js";
import type { SqlSession } from "../database/types.js";
import type { Counts } from "../database/upsert.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { REPLACED_COLUMNS, restoreDetailsSql } from "./replaced-details.js";

/** An imported file, with the number of changes of each kind. */
export interface Import extends Counts {
  readonly id: string;
  readonly file: string;
  readonly importedAt: string;
  readonly facilitiesCreated: number;
  /** Null unless the import was undone. */
  readonly undoneAt: string | null;
  readonly acceptedQuestions: readonly ImportQuestion[];
}

const ACCEPTED = `coalesce(i.accepted, '{}') AS "acceptedQuestions"`;

const IMPORT = `i.id, i.file, ${timeSql("i.imported_at")} AS "importedAt", i.added::float8, i.updated::float8,
  i.unchanged::float8, i.facilities_created AS "facilitiesCreated", ${timeSql("i.undone_at")} AS "undoneAt",
  ${ACCEPTED}`;

/** Large tables that importing and undoing write to. */
export const IMPORTED_TABLES = ["facilities", "emission_records", "emission_days"] as const;

/** An import whose records are not written yet. */
interface NewImport {
  readonly id: string;
  readonly file: string;
  readonly now: Date;
  readonly accepted?: readonly ImportQuestion[];
  readonly isSample?: boolean;
}

/** Adds an import. Truncates a long path at the start. `completeImport` sets the counts later. */
export async function insertImport(
  sql: SqlSession,
  organizationId: string,
  { id, file, now, accepted = [], isSample = false }: NewImport,
): Promise<void> {
  await setAuditSetting(sql, "import", id);
  await sql.execute(
    `INSERT INTO imports (organization_id, id, file, imported_at, accepted, is_sample)
     VALUES ($1::uuid, $2::uuid, right($3, 1000), $4::timestamptz, nullif($5::text[], '{}'), $6::boolean)`,
    [organizationId, id, file, now.toISOString(), accepted, isSample],
  );
}

/** Sets the action, or the import, of the transaction's further audit entries. */
const setAuditSetting = (sql: SqlSession, name: "action" | "import", value: string) =>
  sql.query("SELECT set_config($1, $2, true)", [`gateway.${name}`, value]);

/** Completes an import by setting its counts. */
export async function completeImport(
  sql: SqlSession,
  organizationId: string,
  id: string,
  { added, updated, unchanged, facilitiesCreated }: Counts & { facilitiesCreated: number },
): Promise<void> {
  await setAuditSetting(sql, "action", "import.completed");
  await sql.execute(
    `UPDATE imports SET added = $3::bigint, updated = $4::bigint, unchanged = $5::bigint, facilities_created = $6::int
     WHERE organization_id = $1::uuid AND id = $2::uuid`,
    [organizationId, id, added, updated, unchanged, facilitiesCreated],
  );
}

/** Lists an organization's imports, latest first. */
export function listImports(sql: SqlSession, organizationId: string): Promise<Import[]> {
  return sql.query<Import>(
    `SELECT ${IMPORT} FROM imports i WHERE i.organization_id = $1::uuid ORDER BY i.imported_at DESC, i.id`,
    [organizationId],
  );
}

export interface ImportRow extends Omit<Import, "importedAt" | "undoneAt"> {
  readonly importedAt: Date;
  readonly undoneAt: Date | null;
  /** True for sample data, which comes from no file. */
  readonly isSample: boolean;
}

const ROWS = {
  select: Prisma.raw(`i.id, i.file, i.imported_at AS "importedAt", i.added, i.updated, i.unchanged,
    i.facilities_created AS "facilitiesCreated", i.undone_at AS "undoneAt", i.is_sample AS "isSample", ${ACCEPTED}`),
  from: Prisma.sql`${own.imports} AS i`,
  // As seconds, because their text is the same in every time zone.
  order: {
    columns: [
      ["date_part('epoch', i.imported_at)::numeric(24,6)", "numeric"],
      ["i.id", "uuid"],
    ] as const,
    descending: true,
  },
};

/** Filter: true for sample data, false for files; all imports if omitted. */
export type ImportKind = { readonly isSample?: boolean | null };

const rowsOf = ({ isSample = null }: ImportKind) => ({
  ...ROWS,
  where: isSample === null ? [] : [Prisma.sql`i.is_sample = ${isSample}::boolean`],
});

/** Reads a page of a tenant's imports, latest first. */
export const listOwnImports = (
  tenant: TenantReader,
  kind: ImportKind,
  page: PageRequest,
): Promise<Page<ImportRow>> => readPage<ImportRow>(tenant, rowsOf(kind), page);

/** Counts a tenant's imports. */
export const countOwnImports = (tenant: TenantReader, kind: ImportKind): Promise<number> =>
  countRows(tenant, rowsOf(kind));

/** Finds a tenant's import; null if it does not exist. */
export async function findOwnImport(tenant: TenantReader, id: string): Promise<ImportRow | null> {
  const [row] = await tenant.query<ImportRow>(
    Prisma.sql`SELECT ${ROWS.select} FROM ${ROWS.from} WHERE i.id = ${id}::uuid`,
  );
  return row ?? null;
}

/** Finds an import of any organization; undefined if it does not exist. */
export async function findImport(
  sql: SqlSession,
  id: string,
): Promise<(Import & { organizationId: string; organization: string }) | undefined> {
  const [row] = await sql.query<Import & { organizationId: string; organization: string }>(
    `SELECT ${IMPORT}, o.id AS "organizationId", o.slug AS organization
     FROM imports i JOIN organizations o ON o.id = i.organization_id WHERE i.id = $1::uuid`,
    [id],
  );
  return row;
}

/** Numbers of changes made by undoing an import. */
export interface UndoResult {
  /** Records that the import had added, and deleted records that it had revived. */
  readonly removed: number;
  /** Updated records, now reset to their previous values. */
  readonly restored: number;
  readonly facilitiesRemoved: number;
}

const list = (prefix: string) => REPLACED_COLUMNS.map((name) => `${prefix}.${name}`).join(", ");
const set = (prefix: string) => REPLACED_COLUMNS.map((name) => `${name} = ${prefix}.${name}`).join(", ");
const OWN = "organization_id = $1::uuid AND import_id = $2::uuid";

/**
 * Undoes an import: removes the records that it added, and resets the records that it updated to their previous values.
 * Skips records that have changed since. Undoing a later import afterwards does not bring back this import's values.
 */
export async function undoImport(
  sql: SqlSession,
  organizationId: string,
  id: string,
  now: Date,
): Promise<UndoResult> {
  const own = [organizationId, id];
  await setAuditSetting(sql, "import", id);
  // A record cannot go back to a facility that has been deleted since.
  const [replaced = { restored: 0, deleted: 0 }] = await sql.query<{ restored: number; deleted: number }>(
    `WITH replaced AS (
       UPDATE emission_records AS r SET ${set("p")}, ${restoreDetailsSql("p.details")}, import_id = p.previous_import_id
       FROM replaced_records p
       WHERE r.organization_id = $1::uuid AND r.import_id = $2::uuid
         AND p.organization_id = $1::uuid AND p.import_id = $2::uuid AND p.record_id = r.id
         AND (p.facility_id IS NULL OR EXISTS (
           SELECT FROM facilities f WHERE f.organization_id = $1::uuid AND f.id = p.facility_id))
       RETURNING r.deleted_at
     ) SELECT count(*) FILTER (WHERE deleted_at IS NULL)::int AS restored, count(deleted_at)::int AS deleted FROM replaced`,
    own,
  );
  // They stay as deleted records, so that a record that is added again continues their versions.
  const removed = await sql.execute(
    `UPDATE emission_records AS r
     SET deleted_at = $3::timestamptz, import_id = NULL, facility_id = NULL, biogenic_co2_tonnes = NULL
     WHERE ${OWN} AND NOT EXISTS (
       SELECT FROM replaced_records p
       WHERE p.organization_id = $1::uuid AND p.import_id = $2::uuid AND p.record_id = r.id)`,
    [...own, now.toISOString()],
  );
  // Later imports may have saved this one's values for their own undo. They now restore its previous values, if any.
  const later = "later.organization_id = $1::uuid AND later.previous_import_id = $2::uuid";
  await sql.execute(
    `UPDATE replaced_records AS later SET (${REPLACED_COLUMNS.join(", ")}, details, previous_import_id) =
       ROW(${list("p")}, p.details, p.previous_import_id)
     FROM replaced_records p
     WHERE ${later} AND p.organization_id = $1::uuid AND p.import_id = $2::uuid AND p.record_id = later.record_id`,
    own,
  );
  await sql.execute(`DELETE FROM replaced_records AS later WHERE ${later}`, own);
  await sql.execute(`DELETE FROM replaced_records WHERE ${OWN}`, own);
  // Includes facilities of imports undone earlier, which other records may have used until now. EXISTS would read all
  // replaced records for each facility, since no index leads to theirs.
  const uses = (table: string) =>
    `EXISTS (SELECT FROM ${table} r WHERE r.organization_id = $1::uuid AND r.facility_id = f.id)`;
  const facilitiesRemoved = await sql.execute(
    `DELETE FROM facilities AS f USING imports i
     WHERE f.organization_id = $1::uuid AND i.organization_id = $1::uuid AND i.id = f.import_id
       AND (i.undone_at IS NOT NULL OR i.id = $2::uuid)
       AND NOT ${uses("emission_records")} AND NOT ${uses("energy_claims")} AND f.id NOT IN (
         SELECT DISTINCT facility_id FROM replaced_records WHERE organization_id = $1::uuid AND facility_id IS NOT NULL)`,
    own,
  );
  // Last, so that its audit entry comes after those of the rows.
  await sql.execute(
    "UPDATE imports SET undone_at = $3::timestamptz WHERE organization_id = $1::uuid AND id = $2::uuid",
    [...own, now.toISOString()],
  );
  return { removed: removed + replaced.deleted, restored: replaced.restored, facilitiesRemoved };
}
