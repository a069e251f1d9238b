import { PGlite } from "@electric-sql/pglite";
import { PrismaPGlite } from "pglite-prisma-adapter";
import { embeddedDatabase } from "../../src/data/database/embedded/embedded.js";
import { migrate } from "../../src/data/database/schema/migrations.js";
import { MIGRATIONS_FOLDER } from "../../src/paths.js";
import { schemaDiff } from "../support/schema-diff.js";

/**
 * Migrates a new embedded database, runs `sql`, and returns its differences from prisma/schema.prisma.
 * Embedded in services mode too: the engine cannot read a server's catalogs through Prisma's own driver, which does not
 * know their type "char".
 */
export async function diffAfter(sql: string): Promise<string> {
  const pglite = await PGlite.create();
  await migrate(
    embeddedDatabase(pglite, async () => undefined),
    MIGRATIONS_FOLDER,
  );
  await pglite.exec(sql);
  const diff = await schemaDiff(new PrismaPGlite(pglite), "database");
  await pglite.close();
  return diff;
}
