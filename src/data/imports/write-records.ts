import {
  FILE_AMOUNTS,
  FILE_COLUMNS,
  FILE_TEXT_NAMES,
  type FileAmount,
  type FileText,
} from "../../domain/emissions/record-parts.js";
import type { NewFacility, RecordContent } from "../../domain/emissions/records.js";
import type { EmissionScope } from "../../domain/enums.js";
import type { SqlSession } from "../database/types.js";
import { idOf, recordId, repeatedIdSql } from "../emissions/record-identity.js";
import { ACTIVITY, CALCULATED_VALUES, CREATE_CHOICES, JOIN_CHOICE, kwhSql, tonnesSql } from "./choices.js";
import { CALCULATED, detailsSql, NOT_IN_FILES, REPLACED_COLUMNS, wasDeletedSql } from "./replaced-details.js";

/** A reference that also occurs on an earlier line. */
export interface RepeatedReference {
  readonly line: number;
  readonly firstLine: number;
  readonly reference: string;
}

const FIRST_COLUMNS = ["recorded_on", "scope", "co2e_tonnes", "facility_id"];
const STAGED = [
  "id",
  "line",
  "reference",
  ...FIRST_COLUMNS,
  ...FILE_TEXT_NAMES,
  ...FILE_AMOUNTS,
  "amount",
  "activity",
].join(", ");

/**
 * Prepares a transaction for an import. Gives sorting more memory. Where the server supports it, ends a statement
 * within a second of the client's death, so that a killed import does not hold its locks longer.
 */
export async function beginImport(sql: SqlSession): Promise<void> {
  await sql.script(`
    SET LOCAL work_mem = '64MB';
    DO $$ BEGIN PERFORM set_config('client_connection_check_interval', '1s', true);
    EXCEPTION WHEN OTHERS THEN NULL; END $$;
    CREATE TEMP TABLE incoming (
      id uuid NOT NULL, line bigint NOT NULL, reference text, recorded_on date NOT NULL, scope emission_scope,
      co2e_tonnes numeric(24,6), facility_id uuid, ${FILE_TEXT_NAMES.map((name) => `${name} text`).join(", ")},
      ${FILE_AMOUNTS.map((name) => `${name} numeric(24,6)`).join(", ")}, amount numeric, activity int
    ) ON COMMIT DROP;
    ${CREATE_CHOICES}`);
}

function escapeText(text: string | undefined): string {
  if (text === undefined) return "\\N";
  if (!/[\\\n\r\t]/.test(text)) return text;
  return text.replace(/[\\\n\r\t]/g, (found) => (found === "\\" ? "\\\\" : `\\${ESCAPES[found]}`));
}
const ESCAPES: Readonly<Record<string, string>> = { "\n": "n", "\r": "r", "\t": "t" };

/** Formats a valid record as a line of COPY's text format. `line` is its line in the file. */
export function copyLine(
  organizationId: string,
  line: number,
  record: RecordContent,
  facilityId: string | undefined,
): string {
  const { reference, recorded_on, scope, co2e_tonnes } = record;
  const known = `${recordId(organizationId, record)}\t${line}\t${escapeText(reference)}\t${recorded_on}\t${scope}\t${co2e_tonnes}`;
  return `${known}\t${facilityId ?? "\\N"}\t${othersOf(record)}\t\\N\t\\N\n`;
}

/** Formats a record's texts, and its amounts other than the tonnes. */
const othersOf = (record: Pick<RecordContent, FileText | FileAmount>): string =>
  [...FILE_TEXT_NAMES, ...FILE_AMOUNTS].map((name) => escapeText(record[name])).join("\t");

/**
 * Formats a record whose tonnes are calculated from its activity, like `copyLine`. Without a reference, its id is a
 * digest of its content in the file.
 */
export function copyActivityLine(
  organizationId: string,
  line: number,
  record: StagedActivity,
  facilityId: string | undefined,
): string {
  const { reference, recorded_on, scope, facility, amount, identity, index } = record;
  const texts = FILE_TEXT_NAMES.map((name) => record[name]);
  const content = ["activity", recorded_on, scope, amount, identity, facility, ...texts];
  const id =
    reference === undefined
      ? idOf(organizationId, ...content.map((part) => part ?? ""))
      : recordId(organizationId, { reference, recorded_on, scope: "scope_1", co2e_tonnes: "0" });
  const known = `${id}\t${line}\t${escapeText(reference)}\t${recorded_on}\t${scope ?? "\\N"}\t\\N`;
  return `${known}\t${facilityId ?? "\\N"}\t${othersOf(record)}\t${amount}\t${index}\n`;
}

/** A record of an activity, as in the file. */
export interface StagedActivity extends Omit<RecordContent, "scope" | "co2e_tonnes"> {
  readonly scope: EmissionScope | undefined;
  /** A plain decimal. */
  readonly amount: string;
  /** Number of the activity within the file. */
  readonly index: number;
  /** Content of the row's activity. */
  readonly identity: string;
}

/** Copies lines from `copyLine` into a temporary table. */
export function stageRecords(sql: SqlSession, lines: AsyncIterable<string>): Promise<void> {
  return sql.copy(`incoming (${STAGED})`, lines);
}

const IN_TONNES = `SELECT id, line, reference, ${FILE_COLUMNS.join(", ")}, ${FILE_AMOUNTS.join(", ")},
    NULL::numeric AS amount, NULL::int AS choice
  FROM incoming WHERE activity IS NULL`;
/** Omits records whose activity has no choice. */
const BY_CHOICE = `SELECT id, line, reference, recorded_on, coalesce(i.scope, c.scope), ${tonnesSql("i.amount")}, facility_id,
    ${FILE_TEXT_NAMES.map((name) => (name === "category" ? "coalesce(i.category, c.category)" : name)).join(", ")},
    coalesce(${kwhSql("i.amount")}, i.energy_kwh), i.biogenic_co2_tonnes, amount, choice
  FROM incoming AS i JOIN ${JOIN_CHOICE}`;

/**
 * Sorts the staged records, numbers identical ones, and finds references that occur more than once. Calculates the
 * tonnes of records of activities by their choices, and omits records without a choice.
 */
export async function arrangeRecords(
  sql: SqlSession,
  hasActivities: boolean,
  maxListed: number,
): Promise<{ count: number; first: RepeatedReference[] }> {
  await sql.script(`
    CREATE TEMP TABLE arranged ON COMMIT DROP AS
      SELECT CASE WHEN nth = 1 THEN id ELSE ${repeatedIdSql("id", "nth")} END AS id, id AS base_id, nth,
        line, reference, ${FILE_COLUMNS.join(", ")}, ${FILE_AMOUNTS.join(", ")}, amount, choice
      FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY line) AS nth
        FROM (${IN_TONNES} ${hasActivities ? `UNION ALL ${BY_CHOICE}` : ""}) AS records) AS numbered;
    DROP TABLE incoming;
    ANALYZE arranged (id)`);
  const repeated = "nth > 1 AND reference IS NOT NULL";
  const [row] = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM arranged WHERE ${repeated}`,
  );
  const count = row?.count ?? 0;
  if (count === 0) return { count, first: [] };
  const first = await sql.query<{ line: number; first_line: number; reference: string }>(
    `SELECT a.line::int, a.reference, f.line::int AS first_line
     FROM (SELECT * FROM arranged WHERE ${repeated} ORDER BY line LIMIT $1) AS a
     JOIN arranged f ON f.id = a.base_id ORDER BY a.line`,
    [maxListed],
  );
  return {
    count,
    first: first.map(({ line, first_line, reference }) => ({ line, firstLine: first_line, reference })),
  };
}

/** Removes lines from an arranged file. */
export async function dropLines(sql: SqlSession, lines: readonly number[]): Promise<void> {
  await sql.execute("DELETE FROM arranged WHERE line = ANY($1::bigint[])", [lines]);
}

/** Returns the given facilities that have records in the file. */
export async function findUsedFacilities(
  sql: SqlSession,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ id: string }>(
    "SELECT DISTINCT facility_id AS id FROM arranged WHERE facility_id = ANY($1::uuid[])",
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

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
