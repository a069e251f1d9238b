import pg from "pg";
import { OperatorError } from "../../../errors.js";
import { escapeText } from "../copy-text.js";
import type { Database, Snapshot, SqlSession } from "../types.js";
import { listTables, suspendTriggers, type Table } from "./tables.js";

const quote = pg.escapeIdentifier;

/**
 * The order of changes counts transactions of one server, so it is not copied: clients that follow changes start again.
 * Rows with the stamp 0 belong to no change.
 */
const LEFT_OUT = ["_prisma_migrations", "change_sets", "removed_rows"];
const STAMP = "stamp";

/** Number of copied rows by table. */
export type CopiedRows = Readonly<Record<string, number>>;

/**
 * Copies all rows of one database into another one with the same schema, in one transaction. Its role must own the
 * tables. Throws OperatorError, without any change, if the target has organizations or people.
 */
export async function copyDatabase(source: Database, target: Database): Promise<CopiedRows> {
  const snapshot = await source.openSnapshot();
  try {
    return await target.transaction((sql) => copyAll(snapshot, sql), { mayTakeLong: true });
  } finally {
    await snapshot.close();
  }
}

async function copyAll(snapshot: Snapshot, sql: SqlSession): Promise<CopiedRows> {
  const [state] = await sql.query<{ isUsed: boolean }>(
    `SELECT EXISTS (SELECT FROM organizations) OR EXISTS (SELECT FROM users) AS "isUsed"`,
  );
  if (state?.isUsed)
    throw new OperatorError(
      "The database has organizations or people already. Nothing was copied: copy into a new database.",
    );
  const tables = (await listTables(sql)).filter(({ name }) => !LEFT_OUT.includes(name));
  const restoreTriggers = await suspendTriggers(sql, tables);
  const copied: Record<string, number> = {};
  for (const table of tables) {
    // Migrations may have added rows.
    await sql.execute(`DELETE FROM ${quote(table.name)}`);
    const target = `${quote(table.name)} (${table.columns.map(quote).join(", ")})`;
    await sql.copy(
      target,
      toLines(snapshot, table, (rows) => {
        copied[table.name] = (copied[table.name] ?? 0) + rows;
      }),
    );
  }
  const sequences = await snapshot.query<{ name: string; last: string }>(
    `SELECT quote_ident(sequencename) AS name, last_value::text AS last FROM pg_sequences
     WHERE schemaname = current_schema() AND last_value IS NOT NULL`,
  );
  for (const { name, last } of sequences)
    await sql.query("SELECT setval($1::text::regclass, $2::text::bigint)", [name, last]);
  await restoreTriggers();
  // The first set of changes of each organization, so that each has a place to follow changes from.
  await sql.execute("UPDATE organizations SET name = name");
  return copied;
}

async function* toLines(
  snapshot: Snapshot,
  { name, columns }: Table,
  count: (rows: number) => void,
): AsyncGenerator<string> {
  for await (const rows of snapshot.stream(`SELECT ${asTexts(columns)} FROM ${quote(name)}`, [])) {
    count(rows.length);
    yield rows.map(toCopyLine).join("");
  }
}

/** Returns the columns as text, with stamps of 0. */
export const asTexts = (columns: readonly string[]): string =>
  columns.map((column) => (column === STAMP ? "'0'::text" : `${quote(column)}::text`)).join(", ");

/** Formats a row for COPY. */
export const toCopyLine = (row: readonly (string | null)[]): string => `${row.map(escapeText).join("\t")}\n`;
