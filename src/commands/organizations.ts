import type { Command } from "commander";
import { exportOrganization, importOrganization } from "../actions/leaving/move-organization.js";
import {
  changeOrganizationName,
  changePlan,
  createOrganization,
  type Deletion,
  listOrganizations,
  removeOrganization,
} from "../actions/people/organizations.js";
import { countOf } from "../domain/texts/count-of.js";
import type { Tier } from "../domain/tiers.js";
import { OperatorError } from "../errors.js";
import { readVersion } from "../paths.js";
import { untilInterrupted } from "./import/interruption.js";
import {
  example,
  type FileOutput,
  forceOption,
  jsonOption,
  nameOption,
  outputOption,
  planOption,
  requireNewFile,
} from "./options.js";
import { confirm } from "./output/confirm.js";
import { formatTable } from "./output/table.js";
import { printable } from "./output/terminal.js";
import type { Runner } from "./runner.js";

/** Adds `organizations create | list | rename | plan | export | import | delete`. */
export function addOrganizationCommands(program: Command, { withSchema, report, say }: Runner): void {
  const organizations = program.command("organizations").description("manage organizations");

  organizations
    .command("create")
    .description("create an organization (loading a bundle also creates its organization)")
    .requiredOption("--slug <slug>", "short name: lower-case letters, digits and hyphens")
    .addOption(nameOption("full name").makeOptionMandatory())
    .addOption(planOption().default("enterprise"))
    .addOption(jsonOption())
    .addHelpText("after", example('organizations create --slug acme --name "Acme Steel"'))
    .action(async ({ json, ...organization }: { slug: string; name: string; plan: Tier; json?: boolean }) => {
      const created = await withSchema(({ database }) => createOrganization(database, organization), {
        mayCreate: true,
      });
      report(created, json, `Created ${created.slug} (${created.id}).`);
    });

  organizations
    .command("list")
    .description("list all organizations")
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const list = await withSchema(({ database }) => listOrganizations(database));
      const rows = list.map(({ id, slug, plan, name }) => [id, slug, plan, name]);
      const titles = ["id", "slug", "plan", "name"];
      report(list, json, rows.length === 0 ? "There are no organizations." : formatTable(titles, rows));
    });

  organizations
    .command("rename")
    .description("change the full name of an organization")
    .argument("<slug>", "slug of the organization, which does not change")
    .addOption(nameOption("new full name").makeOptionMandatory())
    .addOption(jsonOption())
    .addHelpText("after", example('organizations rename acme --name "Acme Metals"'))
    .action(async (slug: string, { name, json }: { name: string; json?: boolean }) => {
      const renamed = await withSchema(({ database }) => changeOrganizationName(database, slug, name));
      report(renamed, json, `Renamed ${renamed.slug} to ${printable(renamed.name)}.`);
    });

  organizations
    .command("plan")
    .description("change the highest tier allowed for an organization's keys; existing keys keep their tier")
    .argument("<slug>", "slug of the organization")
    .addOption(planOption().makeOptionMandatory())
    .addOption(jsonOption())
    .addHelpText("after", example("organizations plan acme --plan pro"))
    .action(async (slug: string, { plan, json }: { plan: Tier; json?: boolean }) => {
      const changed = await withSchema(({ database }) => changePlan(database, slug, plan));
      report(changed, json, `Changed the plan of ${changed.slug} to ${plan}.`);
    });

  organizations
    .command("export")
    .description(
      "write everything that belongs to an organization to a file, for another gateway; no secrets",
    )
    .argument("<slug>", "slug of the organization")
    .addOption(outputOption())
    .addOption(forceOption())
    .addOption(jsonOption())
    .addHelpText("after", example("organizations export acme --output acme.jsonl"))
    .action(async (slug: string, { output: path, force, json }: FileOutput & { json?: boolean }) => {
      requireNewFile(path, force);
      const exported = await untilInterrupted(say, (signal) =>
        withSchema(({ database, now }) =>
          exportOrganization(database, { slug, path, gateway: readVersion(), now, signal }),
        ),
      );
      report({ file: path, ...exported }, json, `${path}: ${countOf(exported.rows, "row")} of ${slug}.`);
    });

  organizations
    .command("import")
    .description(
      "add an organization from a file of organizations export; other writers wait while it is stored",
    )
    .argument("<file>", "file that the operator of another gateway of the same version exported")
    .addOption(jsonOption())
    .addHelpText("after", example("organizations import acme.jsonl"))
    .action(async (path: string, { json }: { json?: boolean }) => {
      const imported = await untilInterrupted(say, (signal) =>
        withSchema(({ database, now }) => importOrganization(database, { path, now, signal }), {
          mayCreate: true,
        }),
      );
      const { organization, rows, joined, uninvited } = imported;
      const list = (title: string, people: typeof joined) =>
        people.length === 0
          ? ""
          : `\n${title}:${people.map(({ email, role }) => `\n  ${printable(email)} (${role})`).join("")}`;
      const text = [
        `Imported ${organization}: ${countOf(rows, "row")}.`,
        list("These people got an account without a password; users sign-in-link lets them in", joined),
        list("Invite these people with users create, an owner first", uninvited),
      ];
      report(imported, json, text.join(""));
    });

  organizations
    .command("delete")
    .description("permanently delete an organization and all its data and keys; keeps its audit trail")
    .argument("<slug>", "slug of the organization")
    .option("--yes", "do not ask for confirmation")
    .addOption(jsonOption())
    .addHelpText("after", example("organizations delete acme"))
    .action(async (slug: string, { yes, json }: { yes?: boolean; json?: boolean }) => {
      const ask = async (deletion: Deletion) => {
        if (yes) return;
        say(`About to delete ${describeDeletion(deletion)}.`);
        if (!(await confirm("Permanently delete all of this?")))
          throw new OperatorError("Nothing was deleted.");
      };
      const deletion = await withSchema(({ database }) => removeOrganization(database, slug, ask));
      report(deletion, json, `Deleted ${describeDeletion(deletion)}. The history of its keys was kept.`);
    });
}

/** Describes the deleted data: `acme (Acme Steel): api keys 2, emission records 292`. */
function describeDeletion({ slug, name, deleted }: Deletion): string {
  const parts = Object.entries(deleted)
    .filter(([, count]) => count > 0)
    .map(([table, count]) => `${table.replaceAll("_", " ")} ${count}`);
  return `${slug} (${printable(name)}): ${parts.join(", ") || "no data"}`;
}
