import type { Command } from "commander";
import { readConfig } from "../config.js";
import { copyDatabase } from "../data/database/schema/copy-database.js";
import { migrate } from "../data/database/schema/migrations.js";
import { countOf } from "../domain/texts/count-of.js";
import { OperatorError } from "../errors.js";
import { MIGRATIONS_FOLDER } from "../paths.js";
import { example, jsonOption } from "./options.js";
import type { Runner } from "./runner.js";

/** Adds `copy-from`. */
export function addCopyFromCommand(
  program: Command,
  { environment, onLost, withDatabase, report }: Runner,
): void {
  program
    .command("copy-from <folder>")
    .description("copy everything in an embedded database into a new PostgreSQL database")
    .addOption(jsonOption())
    .addHelpText("after", example("copy-from .data"))
    .action(async (dataDir: string, { json }: { json?: boolean }) => {
      if (readConfig(environment).databaseUrl === undefined)
        throw new OperatorError("Set DATABASE_URL to the PostgreSQL database to copy into.", 2);
      const { openEmbedded } = await import("../data/database/embedded/embedded.js");
      const embedded = await openEmbedded(dataDir, onLost, { mayCreate: false });
      try {
        const rows = await withDatabase(async (database) => {
          for (const each of [embedded, database]) await migrate(each, MIGRATIONS_FOLDER);
          return copyDatabase(embedded, database);
        });
        const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
        const text = `Copied ${countOf(total, "row")} of ${countOf(Object.keys(rows).length, "table")}. Use the same KEY_PEPPER as before, and the content of certificate-key in that folder, if it is there, as CERTIFICATE_KEY. Now run migrate --grant-to <role that serves>, verify, audit verify and doctor.`;
        report({ rows }, json, text);
      } finally {
        await embedded.close();
      }
    });
}
