import type { Command } from "commander";
import { checkAllDomains } from "../actions/domains/check-all.js";
import { readConfig } from "../config.js";
import { createFindTexts } from "../delivery/dns-text.js";
import { example, jsonOption } from "./options.js";
import { formatTable } from "./output/table.js";
import type { Runner } from "./runner.js";

/** Adds `domains check`. */
export function addDomainCommands(program: Command, { environment, withSchema, report }: Runner): void {
  program
    .command("domains")
    .description("manage the domains claimed by organizations")
    .command("check")
    .description("check the TXT records of all domains now")
    .addOption(jsonOption())
    .addHelpText("after", example("domains check"))
    .action(async ({ json }: { json?: boolean }) => {
      const findTexts = createFindTexts(readConfig(environment).dnsServers);
      const checked = await withSchema(({ database, now }) => checkAllDomains(database, findTexts, now));
      const rows = checked.map(({ organization, domain, status }) => [organization, domain, status]);
      const text = formatTable(["organization", "domain", "status"], rows);
      report(checked, json, checked.length === 0 ? "There are no domains." : text);
    });
}
