import type { Command } from "commander";
import { migrate } from "../data/database/migrations.js";
import { MIGRATIONS_FOLDER } from "../paths.js";
import { jsonOption } from "./options.js";
import type { Runner } from "./runner.js";

/** Adds `migrate`. */
export function addMigrateCommand(program: Command, { withDatabase, report }: Runner): void {
  program
    .command("migrate")
    .description("create the database's tables, or update them to this version")
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const applied = await withDatabase((database) => migrate(database, MIGRATIONS_FOLDER), {
        mayCreate: true,
      });
      const text = applied.length === 0 ? "Already up to date." : `Applied ${applied.join(", ")}.`;
      report({ applied }, json, text);
    });
}
