import { type Command, Option } from "commander";
import { type HistorySubject, readHistory } from "../../actions/keys/key-history.js";
import { listKeys } from "../../actions/keys/list-keys.js";
import { OperatorError } from "../../errors.js";
import { example, jsonOption, organizationOption, readSlug } from "../options.js";
import type { Runner } from "../runner.js";
import { formatHistory, formatKeys } from "./describe.js";
import { EXAMPLE_ID } from "./options.js";

/** Adds `keys list`. */
export function addListCommand(keys: Command, { withSchema, report }: Runner): void {
  keys
    .command("list")
    .description("list keys, without their secrets")
    .addOption(organizationOption().makeOptionMandatory(false))
    .addOption(jsonOption())
    .addHelpText("after", example("keys list --organization acme"))
    .action(async ({ organization, json }: { organization?: string; json?: boolean }) => {
      const list = await withSchema((context) => listKeys(context, organization));
      const none = organization === undefined ? "There are no keys." : `${organization} has no keys.`;
      report(list, json, list.length === 0 ? none : formatKeys(list));
    });
}

/** Adds `keys history`. */
export function addHistoryCommand(keys: Command, { withSchema, report }: Runner): void {
  keys
    .command("history")
    .description("show the changes of a key, or of an organization's keys, oldest first")
    .argument("[id]", "id of a key, current or deleted")
    .addOption(
      new Option("--organization <slug>", "slug of an organization, current or deleted").argParser(readSlug),
    )
    .addOption(jsonOption())
    .addHelpText("after", example(`keys history ${EXAMPLE_ID}`, "keys history --organization acme"))
    .action(async (id: string | undefined, options: { organization?: string; json?: boolean }) => {
      const subject = readSubject(id, options.organization);
      const history = await withSchema((context) => readHistory(context, subject));
      report(history, options.json, formatHistory(history));
    });
}

function readSubject(id: string | undefined, organization: string | undefined): HistorySubject {
  if (id !== undefined && organization === undefined) return { id };
  if (id === undefined && organization !== undefined) return { organization };
  throw new OperatorError("Specify either the id of a key or --organization.", 2);
}
