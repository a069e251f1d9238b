import pg from "pg";
import { OperatorError } from "../../../errors.js";
import { escapeText } from "../copy-text.js";
import type { Database, Snapshot, SqlSession } from "../types.js";

const quote = pg.escapeIdentifier;

/**
 * The order of changes counts transactions of one server, so it is not copied: clients that follow changes start again.
 * Rows with the stamp 0 belong to no change.
 */
const LEFT_OUT = ["_prisma_migrations", "change_sets", "removed_rows"];
const STAMP = "stamp";

/** Number of copied rows by table. */
export type CopiedRows = Readonly<Record<string, number>>;

interface Table {
  readonly name: string;
  /** Columns that are not generated. */
  readonly columns: readonly string[];
}

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
  const restoreRules = await suspendRules(sql);
  const copied: Record<string, number> = {};
  for (const table of await listTables(sql)) {
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
  await restoreRules();
  // The first set of changes of each organization, so that each has a place to follow changes from.
  await sql.execute("UPDATE organizations SET name = name");
  return copied;
}

const listTables = (sql: SqlSession) =>
  sql.query<Table>(
    `SELECT table_name AS name, json_agg(column_name ORDER BY ordinal_position) AS columns
     FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND is_generated = 'NEVER' AND table_name <> ALL ($1)
     GROUP BY 1 ORDER BY 1`,
    [LEFT_OUT],
  );

async function* toLines(
  snapshot: Snapshot,
  { name, columns }: Table,
  count: (rows: number) => void,
): AsyncGenerator<string> {
  const texts = columns.map((column) => (column === STAMP ? "'0'::text" : `${quote(column)}::text`));
  for await (const rows of snapshot.stream(`SELECT ${texts.join(", ")} FROM ${quote(name)}`, [])) {
    count(rows.length);
    yield rows.map((row) => `${row.map(escapeText).join("\t")}\n`).join("");
  }
}

/** Statements that enable a trigger, by its `tgenabled`. */
const ENABLE: Readonly<Record<string, string>> = {
  O: "ENABLE TRIGGER",
  A: "ENABLE ALWAYS TRIGGER",
  R: "ENABLE REPLICA TRIGGER",
};

/**
 * Suspends foreign keys and triggers, so that rows are stored as they are and in any order. Returns a function that
 * restores them, which checks the foreign keys.
 */
async function suspendRules(sql: SqlSession): Promise<() => Promise<void>> {
  const keys = await sql.query<{ on: string; name: string; rule: string }>(
    `SELECT conrelid::regclass::text AS "on", quote_ident(conname) AS name, pg_get_constraintdef(oid) AS rule
     FROM pg_constraint
     WHERE contype = 'f' AND conparentid = 0 AND connamespace = current_schema()::regnamespace ORDER BY 1, 2`,
  );
  const triggers = await sql.query<{ on: string; name: string; state: string }>(
    `SELECT tgrelid::regclass::text AS "on", quote_ident(tgname) AS name, tgenabled AS state
     FROM pg_trigger JOIN pg_class AS c ON c.oid = tgrelid
     WHERE NOT tgisinternal AND tgparentid = 0 AND c.relnamespace = current_schema()::regnamespace ORDER BY 1, 2`,
  );
  const run = (statements: readonly string[]) => sql.script(statements.join(";\n"));
  await run([
    ...keys.map(({ on, name }) => `ALTER TABLE ${on} DROP CONSTRAINT ${name}`),
    ...new Set(triggers.map(({ on }) => `ALTER TABLE ${on} DISABLE TRIGGER USER`)),
  ]);
  return () =>
    run([
      ...keys.map(({ on, name, rule }) => `ALTER TABLE ${on} ADD CONSTRAINT ${name} ${rule}`),
      ...triggers.flatMap(({ on, name, state }) =>
        ENABLE[state] === undefined ? [] : [`ALTER TABLE ${on} ${ENABLE[state]} ${name}`],
      ),
    ]);
}
