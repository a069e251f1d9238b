import type { SqlSession } from "./database.js";

/** What became of the rows of one section. */
export interface Counts {
  readonly added: number;
  readonly updated: number;
  /** They were there already, just so. */
  readonly unchanged: number;
}

/** A table, and how a row of it is recognised and compared. */
export interface UpsertTarget {
  readonly table: string;
  /** The columns that are written, and their PostgreSQL types. */
  readonly columns: Readonly<Record<string, string>>;
  /** Columns of the unique index that says whether a row is there already. */
  readonly key: readonly string[];
  /** Columns of which a difference makes an update. Without any, rows are only added. */
  readonly compared: readonly string[];
  /** Columns that an update sets too, though a difference in them alone makes none. */
  readonly touched?: readonly string[];
}

const CHUNK = 5_000;

function statement({ table, columns, key, compared, touched = [] }: UpsertTarget): string {
  const names = Object.keys(columns);
  const list = (of: readonly string[], prefix: string) => of.map((name) => prefix + name).join(", ");
  const onConflict =
    compared.length === 0
      ? "DO NOTHING"
      : `DO UPDATE SET ${[...compared, ...touched].map((name) => `${name} = EXCLUDED.${name}`).join(", ")}
         WHERE (${list(compared, "t.")}) IS DISTINCT FROM (${list(compared, "EXCLUDED.")})`;
  return `INSERT INTO ${table} AS t (${list(names, "")})
    SELECT ${list(names, "r.")}
    FROM jsonb_to_recordset($1::text::jsonb) AS r(${names.map((name) => `${name} ${columns[name]}`).join(", ")})
    ON CONFLICT (${list(key, "")}) ${onConflict}
    RETURNING (t.xmax = 0) AS inserted`;
}

/**
 * Adds the rows that are new and updates those that differ, 5,000 in a statement. Rows are objects with the target's
 * columns as keys; an absent one is null. No two rows may have the same key.
 */
export async function upsert(
  sql: SqlSession,
  target: UpsertTarget,
  rows: readonly object[],
): Promise<Counts> {
  const text = statement(target);
  let [added, updated] = [0, 0];
  for (let from = 0; from < rows.length; from += CHUNK) {
    const chunk = JSON.stringify(rows.slice(from, from + CHUNK));
    const changed = await sql.query<{ inserted: boolean }>(text, [chunk]);
    const inserted = changed.filter((row) => row.inserted).length;
    added += inserted;
    updated += changed.length - inserted;
  }
  return { added, updated, unchanged: rows.length - added - updated };
}

/** The counts of two disjoint lots of rows together. */
export function addCounts(a: Counts, b: Counts): Counts {
  return {
    added: a.added + b.added,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
  };
}
