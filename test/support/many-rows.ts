import type { Database } from "../../src/data/database/types.js";
import { groupBy } from "../../src/domain/group-by.js";

/** Expressions for the next value of a column in a unique index, by type. `n` counts the copies. */
const NEXT: Readonly<Record<string, (column: string) => string>> = {
  uuid: () => "gen_random_uuid()",
  // A hash keeps its length, and a certificate's number its form.
  text: (column) => `CASE
    WHEN length(${column}) = 64 THEN left(to_char(n, 'FM000') || ${column}, 64)
    WHEN ${column} ~ '^CGW-' THEN regexp_replace(${column}, '\\d{6}', to_char(n + 1, 'FM000000'))
    ELSE to_char(n, 'FM000') || ${column} END`,
  integer: (column) => `${column} + n::int`,
  bigint: (column) => `${column} + n`,
  date: (column) => `(${column} - n * interval '1 month')::date`,
};

/** Lists the columns of each table, and those of unique indexes that can differ between copies. */
async function listColumns(database: Database) {
  const columns = await database.select<{ table: string; name: string; type: string; isUnique: boolean }>(
    `SELECT relname::text AS "table", attname::text AS name, format_type(atttypid, NULL) AS type,
       EXISTS (
         SELECT FROM pg_index WHERE indrelid = pg_class.oid AND indisunique
         AND pg_get_indexdef(indexrelid) ~ ('[( ,]"?' || attname || '\\M')
       ) AND NOT EXISTS (
         SELECT FROM pg_constraint
         WHERE conrelid = pg_class.oid AND contype = 'f' AND attnum = ANY (conkey) AND attname <> 'id'
       ) AS "isUnique"
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
     ORDER BY relname, attnum`,
    [],
  );
  return groupBy(columns, ({ table }) => table);
}

/**
 * Copies one row of each table in which the organization has rows, `most` times, or `least` times if values have bounds.
 * Copies differ in columns of unique indexes. Skips tables whose rules allow no copies.
 */
export async function copyRows(
  database: Database,
  organizationId: string,
  { most, least }: { readonly most: number; readonly least: number },
): Promise<void> {
  for (const [table, columns] of await listColumns(database)) {
    if (!columns.some(({ name }) => name === "organization_id")) continue;
    const unique = columns.filter(
      ({ name, type, isUnique }) => isUnique && name !== "organization_id" && type in NEXT,
    );
    const copy = (count: number, differing: readonly string[]) => {
      const values = columns.map(({ name, type }) =>
        differing.includes(name) ? NEXT[type]?.(`"${name}"`) : `"${name}"`,
      );
      return database.transaction(({ query }) =>
        query(
          `INSERT INTO ${table} (${columns.map(({ name }) => `"${name}"`)}) SELECT ${values}
           FROM (SELECT * FROM ${table} WHERE organization_id = $1::uuid LIMIT 1) AS first, generate_series(1, $2::int) AS n`,
          [organizationId, count],
        ),
      );
    };
    const ids = unique.filter(({ type }) => type === "uuid").map(({ name }) => name);
    const attempts = [
      unique.map(({ name }) => name),
      ...unique.filter(({ type }) => type !== "uuid").map(({ name }) => [...ids, name]),
    ].flatMap((differing) => [() => copy(most, differing), () => copy(least, differing)]);
    for (const attempt of attempts)
      if (
        await attempt().then(
          () => true,
          () => false,
        )
      )
        break;
  }
}
