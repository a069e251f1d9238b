import type { Command } from "commander";
import { disableByOperator } from "../actions/sso/disable-by-operator.js";
import { example, jsonOption, organizationOption } from "./options.js";
import type { Runner } from "./runner.js";

/** Adds `sso disable`. */
export function addSsoCommands(program: Command, { withSchema, report }: Runner): void {
  program
    .command("sso")
    .description("manage single sign-on")
    .command("disable")
    .description("disable an organization's single sign-on, so that its members can sign in without it")
    .addOption(organizationOption())
    .addOption(jsonOption())
    .addHelpText("after", example("sso disable --organization acme"))
    .action(async ({ organization, json }: { organization: string; json?: boolean }) => {
      const disabled = await withSchema(({ database }) => disableByOperator(database, organization));
      report(disabled, json, `Single sign-on of ${organization} is disabled.`);
    });
}
