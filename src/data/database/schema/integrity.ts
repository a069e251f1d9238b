import { TABLES } from "../../../generated/tables.js";
import { CHANGES_CHANNEL } from "../../cache/changes.js";
import type { Database } from "../types.js";
import { SERVED_TABLES } from "./serving-role.js";

const NAMES = Object.values(TABLES);

/** The gateway's tables and their partitions: `root` is the table, `id` the table itself or a partition. */
const PARTS = `
  SELECT root.oid AS root, coalesce(tree.relid, root.oid) AS id
  FROM unnest($1::text[]) AS name JOIN pg_class AS root ON root.oid = to_regclass(name)
  LEFT JOIN LATERAL pg_partition_tree(root.oid) AS tree ON true`;

/** A table or partition, with triggers that it lacks or that do not always fire. */
export interface InactiveTriggers {
  readonly table: string;
  readonly triggers: readonly string[];
}

/**
 * Lists triggers, including those of foreign keys, that are disabled. Also lists the gateway's own triggers that do not
 * fire while session_replication_role is `replica`.
 */
export function listDisabledTriggers(database: Database): Promise<InactiveTriggers[]> {
  return database.select<InactiveTriggers>(
    `SELECT p.id::regclass::text AS table, array_agg(DISTINCT coalesce(c.conname, t.tgname)::text) AS triggers
     FROM (${PARTS}) AS p JOIN pg_trigger AS t ON t.tgrelid = p.id
     LEFT JOIN pg_constraint AS c ON c.oid = t.tgconstraint
     WHERE t.tgenabled = 'D' OR (t.tgenabled = 'O' AND NOT t.tgisinternal)
     GROUP BY 1 ORDER BY 1`,
    [NAMES],
  );
}

/** Lists partitions that lack a statement trigger of their table, so that direct writes to them go unnoticed. */
export function listUnwatchedPartitions(database: Database): Promise<InactiveTriggers[]> {
  return database.select<InactiveTriggers>(
    `SELECT p.id::regclass::text AS table, array_agg(t.tgname::text ORDER BY t.tgname) AS triggers
     FROM (${PARTS}) AS p JOIN pg_trigger AS t ON t.tgrelid = p.root AND NOT t.tgisinternal AND t.tgtype & 1 = 0
     WHERE p.id <> p.root
       AND NOT EXISTS (SELECT FROM pg_trigger AS own WHERE own.tgrelid = p.id AND own.tgname = t.tgname)
     GROUP BY 1 ORDER BY 1`,
    [NAMES],
  );
}

/** Rows that predate a check constraint and violate it. */
export interface InvalidRows {
  readonly table: string;
  readonly check: string;
  readonly rows: number;
}

const SCAN_LIMIT_MS = 60_000;

/**
 * Counts the rows that violate each check constraint that was added without validation, in one pass over each table.
 */
export function listInvalidRows(database: Database): Promise<InvalidRows[]> {
  return database.transaction(async (sql) => {
    // Longer than a request may take, since it scans tables of millions of rows.
    await sql.script(`SET LOCAL statement_timeout = ${SCAN_LIMIT_MS}`);
    const checks = await sql.query<{ table: string; check: string; condition: string }>(
      `SELECT conrelid::regclass::text AS table, conname AS check, pg_get_expr(conbin, conrelid) AS condition
       FROM unnest($1::text[]) AS name JOIN pg_constraint ON conrelid = to_regclass(name)
       WHERE contype = 'c' AND NOT convalidated ORDER BY 1, 2`,
      [SERVED_TABLES],
    );
    const found: InvalidRows[] = [];
    for (const table of new Set(checks.map((check) => check.table))) {
      const own = checks.filter((check) => check.table === table);
      const counts = own.map(({ condition }) => `count(*) FILTER (WHERE NOT (${condition}))`);
      const [row] = await sql.query<{ counts: string[] }>(
        `SELECT ARRAY[${counts.join(", ")}]::text[] AS counts FROM ${table}`,
      );
      const rows = own.map(({ check }, index) => ({ table, check, rows: Number(row?.counts[index]) }));
      found.push(...rows.filter((one) => one.rows > 0));
    }
    return found;
  });
}

/** Announces to all gateways that anything may have changed, so that they clear their caches. */
export async function announceEverything(database: Database): Promise<void> {
  await database.transaction((sql) =>
    sql.query("SELECT pg_notify($1, name || ' *') FROM unnest($2::text[]) AS name", [CHANGES_CHANNEL, NAMES]),
  );
}
