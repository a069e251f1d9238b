import type { Command } from "commander";
import {
  changeOrganizationName,
  createOrganization,
  type Deletion,
  describeOrganizations,
  removeOrganization,
} from "../actions/organizations.js";
import { OperatorError } from "../errors.js";
import { confirm } from "./confirm.js";
import { example, jsonOption, readName } from "./options.js";
import type { Runner } from "./runner.js";
import { formatTable } from "./table.js";
import { showable } from "./terminal.js";

/** Adds `organizations create | list | rename | delete`. */
export function addOrganizationCommands(program: Command, { withSchema, report, say }: Runner): void {
  const organizations = program.command("organizations").description("manage organizations");

  organizations
    .command("create")
    .description("create an organization; loading a bundle of a new one creates it too")
    .requiredOption("--slug <slug>", "short name: lower-case letters, digits and hyphens")
    .requiredOption("--name <name>", "full name")
    .addOption(jsonOption())
    .addHelpText("after", example('organizations create --slug acme --name "Acme Steel"'))
    .action(async ({ json, ...organization }: { slug: string; name: string; json?: boolean }) => {
      const created = await withSchema(({ database }) => createOrganization(database, organization), {
        mayCreate: true,
      });
      report(created, json, `Created ${created.slug} (${created.id}).`);
    });

  organizations
    .command("list")
    .description("list the organizations")
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const list = await withSchema(({ database }) => describeOrganizations(database));
      const rows = list.map(({ id, slug, name }) => [id, slug, name]);
      report(
        list,
        json,
        rows.length === 0 ? "There are no organizations." : formatTable(["id", "slug", "name"], rows),
      );
    });

  organizations
    .command("rename")
    .description("change an organization's full name")
    .argument("<slug>", "slug of the organization, which stays")
    .requiredOption("--name <name>", "new full name", readName)
    .addOption(jsonOption())
    .addHelpText("after", example('organizations rename acme --name "Acme Metals"'))
    .action(async (slug: string, { name, json }: { name: string; json?: boolean }) => {
      const renamed = await withSchema(({ database }) => changeOrganizationName(database, slug, name));
      report(renamed, json, `Renamed ${renamed.slug} to ${showable(renamed.name)}.`);
    });

  organizations
    .command("delete")
    .description("delete an organization with all its data and keys, for good")
    .argument("<slug>", "slug of the organization")
    .option("--yes", "delete without asking")
    .addOption(jsonOption())
    .addHelpText("after", example("organizations delete acme"))
    .action(async (slug: string, { yes, json }: { yes?: boolean; json?: boolean }) => {
      const ask = async (deletion: Deletion) => {
        if (yes) return;
        say(`This deletes ${describeDeletion(deletion)}.`);
        if (!(await confirm("Delete all of this for good?"))) throw new OperatorError("Nothing was deleted.");
      };
      const deletion = await withSchema(({ database }) => removeOrganization(database, slug, ask));
      report(deletion, json, `Deleted ${describeDeletion(deletion)}. The history of its keys is kept.`);
    });
}

/** Such as `acme (Acme Steel): api keys 2, emission records 292`. */
function describeDeletion({ slug, name, deleted }: Deletion): string {
  const parts = Object.entries(deleted)
    .filter(([, count]) => count > 0)
    .map(([table, count]) => `${table.replaceAll("_", " ")} ${count}`);
  return `${slug} (${showable(name)}): ${parts.join(", ") || "it has no data"}`;
}
