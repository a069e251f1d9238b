import type { Command } from "commander";
import { jsonOption } from "./options.js";
import { createOrganization, describeOrganizations } from "./organizations.js";
import type { Runner } from "./runner.js";
import { showable } from "./terminal.js";

/** Adds `organizations create | list`. */
export function addOrganizationCommands(program: Command, { withSchema, report }: Runner): void {
  const organizations = program.command("organizations").description("create and list organizations");

  organizations
    .command("create")
    .description("make an organization; a bundle that names a new one makes it too")
    .requiredOption("--slug <slug>", "short name: lower-case letters, digits, hyphens")
    .requiredOption("--name <name>", "full name")
    .addOption(jsonOption())
    .action(async ({ json, ...organization }: { slug: string; name: string; json?: boolean }) => {
      const created = await withSchema(({ database }) => createOrganization(database, organization));
      report(created, json, `Created ${created.slug} (${created.id}).`);
    });

  organizations
    .command("list")
    .description("list the organizations")
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const list = await withSchema(({ database }) => describeOrganizations(database));
      const lines = list.map(({ id, slug, name }) => `${id}  ${slug}  ${showable(name)}`);
      report(list, json, lines.length === 0 ? "There are no organizations." : lines.join("\n"));
    });
}
