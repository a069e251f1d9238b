import { PGlite } from "@electric-sql/pglite";
import { describe, expect, inject, it } from "vitest";
import { embeddedDatabase } from "../../src/data/database/embedded/embedded.js";
import { migrate } from "../../src/data/database/schema/migrations.js";
import type { Database } from "../../src/data/database/types.js";
import { MIGRATIONS_FOLDER } from "../../src/paths.js";
import { openTestDatabase } from "../support/database.js";
import { diffAfter } from "./diff-after.js";

describe("the migrated database", () => {
  it("matches prisma/schema.prisma", { timeout: 120_000 }, async () => {
    expect((await diffAfter("SELECT 1")).trim()).toBe("-- This is an empty migration.");
  });

  it.runIf(inject("template").kind === "postgres")(
    "is the same on a server as in the embedded database",
    { timeout: 120_000 },
    async () => {
      const onServer = await openTestDatabase();
      const embedded = embeddedDatabase(await PGlite.create(), async () => undefined);
      await migrate(embedded, MIGRATIONS_FOLDER);
      const structure = await structureOf(embedded);
      expect(structure.length).toBeGreaterThan(150);
      expect(await structureOf(onServer)).toEqual(structure);
      await embedded.close();
      await onServer.close();
    },
  );
});

/** Lists columns, constraints, indexes, enums and triggers, one per line. */
async function structureOf(database: Database): Promise<string[]> {
  const rows = await database.transaction((sql) =>
    sql.query<{ line: string }>(`
      SELECT format('column %s.%s %s %s %s %s', c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod),
                    a.attnotnull, pg_get_expr(d.adbin, d.adrelid), o.collname) AS line
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      LEFT JOIN pg_collation o ON o.oid = a.attcollation
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
      UNION ALL SELECT format('constraint %s %s', conname, pg_get_constraintdef(oid)) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
      UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
      UNION ALL SELECT format('enum %s %s', enumtypid::regtype, string_agg(enumlabel, ',' ORDER BY enumsortorder))
      FROM pg_enum GROUP BY enumtypid
      UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal`),
  );
  return rows.map(({ line }) => line).toSorted();
}
