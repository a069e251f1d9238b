import type { Command } from "commander";
import { describeImports, describeUndo, formatImports, undo } from "../actions/imports.js";
import { jsonOption, organizationOption } from "./options.js";
import type { Runner } from "./runner.js";

/** Adds `import undo | list` to `import <file>`; a file of such a name is given as `./undo`. */
export function addImportCommands(command: Command, { withSchema, report }: Runner): void {
  command.enablePositionalOptions();

  command
    .command("list")
    .description("list an organization's imports, latest first")
    .addOption(organizationOption())
    .addOption(jsonOption())
    .action(async ({ organization, json }: { organization: string; json?: boolean }) => {
      const imports = await withSchema(({ database }) => describeImports(database, organization));
      report(
        imports,
        json,
        imports.length === 0 ? `${organization} has no imports.` : formatImports(imports),
      );
    });

  command
    .command("undo")
    .description("take an import back: remove what it added, and restore what it updated")
    .argument("<id>", "the import's id")
    .addOption(jsonOption())
    .action(async (id: string, { json }: { json?: boolean }) => {
      const summary = await withSchema(({ database, now }) => undo(database, id, now));
      report(summary, json, describeUndo(summary));
    });
}
