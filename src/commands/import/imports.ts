import type { Command } from "commander";
import { listImports, type UndoSummary, undoImport } from "../../actions/imports/undo-import.js";
import type { Import } from "../../data/imports/imports.js";
import { countOf } from "../../domain/texts/count-of.js";
import { jsonOption, organizationOption } from "../options.js";
import { printable } from "../output/terminal.js";
import type { Runner } from "../runner.js";

/** Adds `import list`. */
export function addListCommand(command: Command, { withSchema, report }: Runner): void {
  command
    .command("list")
    .description("list an organization's imports, latest first")
    .addOption(organizationOption())
    .addOption(jsonOption())
    .action(async ({ organization, json }: { organization: string; json?: boolean }) => {
      const imports = await withSchema(({ database }) => listImports(database, organization));
      const text = imports.map(describeImport).join("\n");
      report(imports, json, text || `${organization} has no imports.`);
    });
}

/** Adds `import undo`. */
export function addUndoCommand(command: Command, { withSchema, report }: Runner): void {
  command
    .command("undo")
    .description("undo an import: remove the records it added, and restore those it updated")
    .argument("<id>", "id of the import")
    .addOption(jsonOption())
    .action(async (id: string, { json }: { json?: boolean }) => {
      const summary = await withSchema(({ database, now }) => undoImport(database, id, now));
      report(summary, json, describeUndo(summary));
    });
}

function describeImport({ id, importedAt, file, added, updated, undoneAt }: Import): string {
  const undone = undoneAt === null ? "" : `, undone ${undoneAt}`;
  return `${id}  ${importedAt}  ${printable(file)}: ${added} added, ${updated} updated${undone}`;
}

function describeUndo(summary: UndoSummary): string {
  const { id, organization, file, removed, restored, kept, facilitiesRemoved, undoneAt } = summary;
  if (summary.alreadyUndone) return `Import ${id} was already undone on ${undoneAt}; nothing was changed.`;
  const parts = [
    ...(removed > 0 ? [`${countOf(removed, "record")} removed`] : []),
    ...(restored > 0 ? [`${countOf(restored, "record")} restored`] : []),
    ...(kept > 0 ? [`${countOf(kept, "record")} kept because of later changes`] : []),
    ...(facilitiesRemoved > 0 ? [`${countOf(facilitiesRemoved, "facility")} removed`] : []),
  ];
  const what = parts.join("; ") || "nothing to change";
  return `Undid import ${id} of ${printable(file)} (${organization}): ${what}.`;
}
