import type { SqlSession } from "./types.js";

/** Numbers of rows added, updated, and unchanged. */
export interface Counts {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** Table and columns of an upsert. The database knows the column types. */
export interface UpsertTarget {
  readonly table: string;
  /** Columns of a unique index. */
  readonly key: readonly string[];
  /** Key column that the index stores as a digest, because its text may be too long for an index. */
  readonly digested?: string;
  /** Columns to update. */
  readonly values: readonly string[];
}

const CHUNK = 5_000;

/**
 * Builds two statements, so that their row counts tell inserts from updates. (Partitioned tables have no `xmax` for
 * that.)
 */
function buildStatements({ table, key, digested, values }: UpsertTarget, compared: readonly string[]) {
  const list = (names: readonly string[], prefix = "") => names.map((name) => prefix + name).join(", ");
  const columns = [...key, ...values];
  const identity = key.map((name) => (name === digested ? `text_digest(${name})` : name));
  const insert = `INSERT INTO ${table} AS t (${list(columns)})
    SELECT ${list(columns)} FROM jsonb_populate_recordset(NULL::${table}, $1::text::jsonb)
    ON CONFLICT (${list(identity)})`;
  return {
    add: `${insert} DO NOTHING`,
    update: `${insert} DO UPDATE SET ${values.map((name) => `${name} = EXCLUDED.${name}`).join(", ")}
      WHERE (${list(compared, "t.")}) IS DISTINCT FROM (${list(compared, "EXCLUDED.")})`,
  };
}

/**
 * Adds new rows and updates those that differ in a compared column, 5,000 at a time. Rows are objects keyed by column
 * name. Missing columns are null; other properties are ignored. No two rows may have the same key. Without compared
 * columns, it only adds rows.
 */
export async function upsert(
  sql: SqlSession,
  target: UpsertTarget,
  rows: readonly object[],
  compared: readonly string[] = target.values,
): Promise<Counts> {
  const { add, update } = buildStatements(target, compared);
  let [added, updated] = [0, 0];
  for (let from = 0; from < rows.length; from += CHUNK) {
    const chunk = rows.slice(from, from + CHUNK);
    const json = JSON.stringify(chunk);
    const inserted = await sql.execute(add, [json]);
    added += inserted;
    if (compared.length > 0 && inserted < chunk.length) updated += await sql.execute(update, [json]);
  }
  return { added, updated, unchanged: rows.length - added - updated };
}

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    added: a.added + b.added,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
  };
}
