import pg from "pg";
import type { SqlSession } from "../types.js";

/** A table of the schema. */
export interface Table {
  readonly name: string;
  /** Columns that are not generated. */
  readonly columns: readonly string[];
  /** Columns that a sequence numbers. No other table refers to them. */
  readonly numbered: readonly string[];
}

/** Lists all tables, each after those that its foreign keys refer to, so that rows can be inserted in this order. */
export async function listTables(sql: Pick<SqlSession, "query">): Promise<Table[]> {
  let left = await sql.query<Table & { readonly needs: readonly string[] }>(
    `SELECT t.relname AS name,
       (SELECT json_agg(attname ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns,
       (SELECT coalesce(json_agg(a.attname), '[]') FROM pg_attrdef AS d JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum)
        WHERE d.adrelid = t.oid AND pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%') AS numbered,
       (SELECT coalesce(json_agg(f.relname), '[]') FROM pg_constraint AS c JOIN pg_class AS f ON f.oid = c.confrelid
        WHERE c.conrelid = t.oid AND c.contype = 'f' AND c.confrelid <> t.oid) AS needs
     FROM pg_class AS t WHERE t.relkind IN ('r', 'p') AND NOT t.relispartition AND t.relnamespace = current_schema()::regnamespace ORDER BY 1`,
  );
  const ordered: Table[] = [];
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name));
    const isNext = ({ needs }: (typeof left)[number]) => !needs.some((name) => waiting.has(name));
    const next = left.filter(isNext);
    if (next.length === 0) throw new Error(`foreign keys form a circle: ${[...waiting].join(", ")}`);
    ordered.push(...next);
    left = left.filter((table) => !isNext(table));
  }
  return ordered;
}

/** Statements that enable a trigger, by its `tgenabled`. */
const ENABLE: Readonly<Record<string, string>> = {
  O: "ENABLE TRIGGER",
  A: "ENABLE ALWAYS TRIGGER",
  R: "ENABLE REPLICA TRIGGER",
};

/**
 * Suspends the triggers of tables, but not their foreign keys, so that rows are stored as they are. Until the
 * transaction ends, other connections cannot write to these tables. Returns a function that restores the triggers.
 */
export async function suspendTriggers(
  sql: SqlSession,
  tables: readonly Pick<Table, "name">[],
): Promise<() => Promise<void>> {
  const names = tables.map(({ name }) => pg.escapeIdentifier(name));
  const triggers = await sql.query<{ on: string; name: string; state: string }>(
    `SELECT tgrelid::regclass::text AS "on", quote_ident(tgname) AS name, tgenabled AS state FROM pg_trigger
     WHERE NOT tgisinternal AND tgparentid = 0 AND tgrelid = ANY ($1::regclass[]) ORDER BY 1, 2`,
    [names],
  );
  await sql.script(names.map((name) => `ALTER TABLE ${name} DISABLE TRIGGER USER`).join(";\n"));
  const restored = triggers.flatMap(({ on, name, state }) =>
    ENABLE[state] === undefined ? [] : [`ALTER TABLE ${on} ${ENABLE[state]} ${name}`],
  );
  return () => sql.script(restored.join(";\n"));
}
