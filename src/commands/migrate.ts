import type { Command } from "commander";
import { WRITING_ROLE } from "../data/database/schema/grants.js";
import { migrate } from "../data/database/schema/migrations.js";
import { grantServing } from "../data/database/schema/serving-role.js";
import {
  readWriterGrant,
  restoreWritingRole,
  type WritingRoleState,
} from "../data/database/schema/writing-role.js";
import { countOf } from "../domain/texts/count-of.js";
import { MIGRATIONS_FOLDER } from "../paths.js";
import { jsonOption } from "./options.js";
import { listSome } from "./output/list-some.js";
import type { Runner } from "./runner.js";

/** Adds `migrate`. */
export function addMigrateCommand(program: Command, { withDatabase, report, say }: Runner): void {
  program
    .command("migrate")
    .description("create the database schema, or upgrade it to this version")
    .option("--grant-to <role>", "also grant an existing PostgreSQL role the rights that serve needs")
    .addOption(jsonOption())
    .action(async ({ grantTo, json }: { grantTo?: string; json?: boolean }) => {
      const { applied, restored, grant } = await withDatabase(
        async (database) => {
          let restored: string[] = [];
          const applied = await migrate(database, MIGRATIONS_FOLDER, async (sql) => {
            restored = describeRestored(await restoreWritingRole(sql));
            if (grantTo !== undefined) await grantServing(sql, grantTo);
          });
          return { applied, restored, grant: await readWriterGrant(database) };
        },
        { mayCreate: true },
      );
      const done =
        applied.length === 0
          ? "Already up to date."
          : `Applied ${countOf(applied.length, "migration")}, up to ${applied.at(-1)}.`;
      const granted = grantTo === undefined ? "" : ` Granted ${grantTo} the rights that serve needs.`;
      report({ applied }, json, done + granted);
      for (const line of restored) say(line);
      // The gateway may run as a different role.
      if (!grant.isGranted && !grant.isGrantedToOthers)
        say(
          `Warning: ${WRITING_ROLE} is not granted to any role, so nobody can sign in. As a superuser: GRANT ${WRITING_ROLE} TO ${grant.role}, or to the role that runs serve.`,
        );
    });
}

/** Describes what was changed about the writing role, such as after a dump was restored without its privileges. */
function describeRestored({
  missing,
  excess,
  unpoliced,
}: Pick<WritingRoleState, "missing" | "excess" | "unpoliced">): string[] {
  return [
    ...(missing.length > 0 ? [`Granted ${WRITING_ROLE} what it lacked: ${listSome(missing, "; ")}.`] : []),
    ...(excess.length > 0 ? [`Revoked from ${WRITING_ROLE}: ${listSome(excess, "; ")}.`] : []),
    ...(unpoliced.length > 0 ? [`Restored the policies of ${listSome(unpoliced)}.`] : []),
  ];
}
