import type { Command } from "commander";
import { WRITING_ROLE } from "../data/database/schema/grants.js";
import { migrate } from "../data/database/schema/migrations.js";
import { grantServing } from "../data/database/schema/serving-role.js";
import { readWriterGrant } from "../data/database/schema/writing-role.js";
import { MIGRATIONS_FOLDER } from "../paths.js";
import { jsonOption } from "./options.js";
import type { Runner } from "./runner.js";

/** Adds `migrate`. */
export function addMigrateCommand(program: Command, { withDatabase, report, say }: Runner): void {
  program
    .command("migrate")
    .description("create the database schema, or upgrade it to this version")
    .option("--grant-to <role>", "also grant an existing PostgreSQL role the rights that serve needs")
    .addOption(jsonOption())
    .action(async ({ grantTo, json }: { grantTo?: string; json?: boolean }) => {
      const { applied, grant } = await withDatabase(
        async (database) => {
          const applied = await migrate(database, MIGRATIONS_FOLDER);
          if (grantTo !== undefined) await grantServing(database, grantTo);
          return { applied, grant: await readWriterGrant(database) };
        },
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
