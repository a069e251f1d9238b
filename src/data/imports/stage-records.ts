import {
  FILE_AMOUNTS,
  FILE_COLUMNS,
  FILE_TEXT_NAMES,
  type FileAmount,
  type FileText,
} from "../../domain/emissions/record-parts.js";
import type { RecordContent } from "../../domain/emissions/records.js";
import type { EmissionScope } from "../../domain/enums.js";
import { escapeText } from "../database/copy-text.js";
import type { SqlSession } from "../database/types.js";
import { idOf, recordId, repeatedIdSql } from "../emissions/record-identity.js";
import { CREATE_CHOICES, JOIN_CHOICE, kwhSql, tonnesSql } from "./choices.js";

/** A reference that also occurs on an earlier line. */
export interface RepeatedReference {
  readonly line: number;
  readonly firstLine: number;
  readonly reference: string;
}

/** Columns of a staged line, in the order in which `copyLine` writes them. */
const STAGED_COLUMNS = [
  "id",
  "line",
  "reference",
  "recorded_on",
  "scope",
  "co2e_tonnes",
  "facility_id",
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

/** A record with an activity instead of tonnes, as in the file. */
export interface StagedActivity extends Omit<RecordContent, "scope" | "co2e_tonnes"> {
  readonly scope: EmissionScope | undefined;
  /** A plain decimal. */
  readonly amount: string;
  /** Number of the activity within the file. */
  readonly index: number;
  /** Content of the row's activity. */
  readonly identity: string;
}

/** Copies lines from `copyLine` and `copyActivityLine` into a temporary table. */
export function stageRecords(sql: SqlSession, lines: AsyncIterable<string | Buffer>): Promise<void> {
  return sql.copy(`incoming (${STAGED_COLUMNS})`, lines);
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
 * tonnes of activities with their choices, and omits activities without a choice.
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
