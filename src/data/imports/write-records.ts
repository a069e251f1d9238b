import { FILE_AMOUNTS, FILE_COLUMNS, type FileAmount } from "../../domain/emissions/record-parts.js";
import type { NewFacility } from "../../domain/emissions/records.js";
import type { SqlSession } from "../database/types.js";
import { ACTIVITY, CALCULATED_VALUES } from "./choices.js";
import { CALCULATED, detailsSql, NOT_IN_FILES, REPLACED_COLUMNS, wasDeletedSql } from "./replaced-details.js";

/** SQL condition that joins an arranged record `a` to the stored record `r`; `$1` is the organization. */
const IS_SAME = "r.organization_id = $1::uuid AND r.id = a.id";
const IS_NEW = `NOT EXISTS (SELECT FROM emission_records r WHERE ${IS_SAME})`;
const list = (prefix: string) => FILE_COLUMNS.map((name) => `${prefix}.${name}`).join(", ");
const IS_DELETED = `${IS_SAME} AND r.deleted_at IS NOT NULL`;
/** A record without a reference cannot differ, since its id is a digest of its content. */
const DIFFERS = `a.reference IS NOT NULL AND ((${list("r")}) IS DISTINCT FROM (${list("a")})
  OR (a.choice IS NOT NULL AND r.activity IS DISTINCT FROM (SELECT ${ACTIVITY} FROM choices AS c WHERE c.choice = a.choice)))`;

/** Amounts other than the tonnes for which a file has a column. Record digests do not include them. */
type Amounts = readonly FileAmount[];
const differs = (amounts: Amounts): string =>
  [DIFFERS, ...amounts.map((name) => `r.${name} IS DISTINCT FROM a.${name}`)].join(" OR ");
/** Includes deleted records, which the file's records replace. */
const isReplaced = (amounts: Amounts): string =>
  `${IS_SAME} AND (r.deleted_at IS NOT NULL OR ${differs(amounts)})`;

/**
 * SQL for an amount without a column in the file. Energy comes from the activity; without that, it is kept unless the
 * record had a different activity. Biogenic CO2 is kept. Deleted records keep neither.
 */
const WITHOUT_COLUMN: Readonly<Record<FileAmount, string>> = {
  energy_kwh: `coalesce(a.energy_kwh, CASE WHEN r.deleted_at IS NULL AND (r.activity IS NULL OR r.activity = ${CALCULATED_VALUES["activity"]}) THEN r.energy_kwh END)`,
  biogenic_co2_tonnes: "CASE WHEN r.deleted_at IS NULL THEN r.biogenic_co2_tonnes END",
};

const setReplaced = (amounts: Amounts): string =>
  [
    ...FILE_COLUMNS.map((name) => `${name} = a.${name}`),
    ...FILE_AMOUNTS.map((name) => `${name} = ${amounts.includes(name) ? `a.${name}` : WITHOUT_COLUMN[name]}`),
    ...CALCULATED.map((name) => `${name} = ${CALCULATED_VALUES[name]}`),
    // A record that is not deleted keeps its values in columns that files do not have.
    ...NOT_IN_FILES.map((name) => `${name} = CASE WHEN r.deleted_at IS NULL THEN r.${name} END`),
  ].join(", ");

/** Columns set for every new record, and their values in `arranged` as `a`. */
const ADDED = `${FILE_COLUMNS.join(", ")}, ${FILE_AMOUNTS.join(", ")}`;
const ADDED_VALUES = `${list("a")}, ${FILE_AMOUNTS.map((name) => `a.${name}`).join(", ")}`;

/**
 * Insertion order. It matches most indexes, and the pages read for a month, so that inserts touch few places in
 * either.
 */
const BY_MONTH =
  "ORDER BY date_trunc('month', a.recorded_on::timestamp), a.facility_id, a.scope, a.co2e_tonnes DESC";

async function count(sql: SqlSession, from: string, parameters: readonly unknown[]): Promise<number> {
  const [row] = await sql.query<{ count: string }>(`SELECT count(*)::text AS count FROM ${from}`, parameters);
  return Number(row?.count ?? 0);
}

/** Counts the records that `writeRecords` would add and update. */
export async function compareRecords(
  sql: SqlSession,
  organizationId: string,
  amounts: Amounts,
): Promise<{ added: number; updated: number }> {
  const replaced = await count(sql, `arranged a JOIN emission_records r ON ${isReplaced(amounts)}`, [
    organizationId,
  ]);
  const revived =
    replaced > 0
      ? await count(sql, `arranged a JOIN emission_records r ON ${IS_DELETED}`, [organizationId])
      : 0;
  const added = await count(sql, `arranged a WHERE ${IS_NEW}`, [organizationId]);
  return { added: added + revived, updated: replaced - revived };
}

/** A line that would change a record in a locked period. */
export interface LockedLine {
  readonly line: number;
  readonly recordedOn: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Counts the lines that would add a record to a locked period, change one in it, or move one into it, and lists the
 * first ones.
 */
export async function findLockedLines(
  sql: SqlSession,
  organizationId: string,
  amounts: Amounts,
  maxListed: number,
): Promise<{ count: number; first: readonly LockedLine[] }> {
  const isLocked = (record: string) =>
    `${record}.scope = ANY (l.scopes) AND ${record}.recorded_on BETWEEN l.period_from AND l.period_to`;
  const rows = await sql.query<LockedLine & { count: number }>(
    `SELECT line::float8, recorded_on::text AS "recordedOn", period_from::text AS "from", period_to::text AS "to",
       count(*) OVER ()::int AS count
     FROM (
       SELECT DISTINCT ON (a.line) a.line, a.recorded_on, l.period_from, l.period_to
       FROM period_locks AS l CROSS JOIN arranged AS a LEFT JOIN emission_records AS r ON ${IS_SAME}
       WHERE l.organization_id = $1::uuid AND (r.id IS NULL OR r.deleted_at IS NOT NULL OR ${differs(amounts)})
         AND (${isLocked("a")} OR (r.deleted_at IS NULL AND ${isLocked("r")}))
     ) AS found ORDER BY line LIMIT $2`,
    [organizationId, maxListed],
  );
  return { count: rows[0]?.count ?? 0, first: rows };
}

export async function insertFacilities(
  sql: SqlSession,
  organizationId: string,
  importId: string,
  facilities: readonly NewFacility[],
): Promise<void> {
  await sql.execute(
    `INSERT INTO facilities (id, organization_id, import_id, code, name, country)
     SELECT id, $1::uuid, $2::uuid, code, name, country
     FROM jsonb_to_recordset($3::text::jsonb) AS f(id uuid, code text, name text, country text)`,
    [organizationId, importId, JSON.stringify(facilities)],
  );
}

/**
 * Adds the new facilities, then adds or updates the arranged records, all with the import's id. Saves the previous
 * values of updated records for undoing the import.
 */
export async function writeRecords(
  sql: SqlSession,
  organizationId: string,
  importId: string,
  {
    facilities,
    hasActivities,
    amounts,
  }: {
    readonly facilities: readonly NewFacility[];
    readonly hasActivities: boolean;
    readonly amounts: Amounts;
  },
): Promise<{ added: number; updated: number }> {
  const owner = [organizationId, importId];
  await insertFacilities(sql, organizationId, importId, facilities);
  const replaced = await sql.execute(
    `INSERT INTO replaced_records (organization_id, import_id, record_id, previous_import_id, ${REPLACED_COLUMNS.join(", ")}, details)
     SELECT $1::uuid, $2::uuid, r.id, r.import_id, ${REPLACED_COLUMNS.map((name) => `r.${name}`).join(", ")}, ${detailsSql("r")}
     FROM arranged a JOIN emission_records r ON ${isReplaced(amounts)}
     FOR UPDATE OF r`,
    owner,
  );
  let revived = 0;
  if (replaced > 0) {
    revived = await count(
      sql,
      `replaced_records WHERE organization_id = $1::uuid AND import_id = $2::uuid AND ${wasDeletedSql("details")}`,
      owner,
    );
    await sql.execute(
      `UPDATE emission_records AS r SET ${setReplaced(amounts)}, import_id = $2::uuid
       FROM arranged a LEFT JOIN choices c USING (choice) JOIN replaced_records p ON p.organization_id = $1::uuid AND p.import_id = $2::uuid AND p.record_id = a.id
       WHERE ${IS_SAME}`,
      owner,
    );
  }
  const added = await sql.execute(
    `INSERT INTO emission_records (id, organization_id, import_id, reference, ${ADDED})
     SELECT id, $1::uuid, $2::uuid, reference, ${ADDED_VALUES} FROM arranged a WHERE choice IS NULL AND ${IS_NEW} ${BY_MONTH}`,
    owner,
  );
  const calculated = hasActivities
    ? await sql.execute(
        `INSERT INTO emission_records (id, organization_id, import_id, reference, ${ADDED}, ${CALCULATED.join(", ")})
         SELECT a.id, $1::uuid, $2::uuid, a.reference, ${ADDED_VALUES}, ${CALCULATED.map((name) => CALCULATED_VALUES[name]).join(", ")}
         FROM arranged a JOIN choices c USING (choice) WHERE ${IS_NEW} ${BY_MONTH}`,
        owner,
      )
    : 0;
  return { added: added + calculated + revived, updated: replaced - revived };
}
