import type { Command } from "commander";
import { WRITING_ROLE } from "../data/database/schema/grants.js";
import { migrate } from "../data/database/schema/migrations.js";
import { readWriterGrant } from "../data/database/schema/writing-role.js";
import { MIGRATIONS_FOLDER } from "../paths.js";
import { jsonOption } from "./options.js";
import type { Runner } from "./runner.js";

/** Adds `migrate`. */
export function addMigrateCommand(program: Command, { withDatabase, report, say }: Runner): void {
  program
    .command("migrate")
    .description("create the database schema, or upgrade it to this version")
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const { applied, grant } = await withDatabase(
        async (database) => ({
          applied: await migrate(database, MIGRATIONS_FOLDER),
          grant: await readWriterGrant(database),
        }),
        { mayCreate: true },
      );
      const text = applied.length === 0 ? "Already up to date." : `Applied ${applied.join(", ")}.`;
      report({ applied }, json, text);
      // The gateway may run as a different role.
      if (!grant.isGranted && !grant.isGrantedToOthers)
        say(
          `Warning: ${WRITING_ROLE} is not granted to any role, so nobody can sign in. As a superuser: GRANT ${WRITING_ROLE} TO ${grant.role}, or to the role that runs serve.`,
        );
    });
}
