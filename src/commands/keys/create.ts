import { type Command, Option } from "commander";
import { createKey } from "../../actions/keys/create.js";
import type { CreatedKey } from "../../actions/keys/new-key.js";
import { rotateKey } from "../../actions/keys/rotate.js";
import { OVERLAP_HOURS } from "../../domain/keys/rules.js";
import {
  example,
  expiryOption,
  jsonOption,
  organizationOption,
  quietOption,
  scopeOption,
  tierOption,
} from "../options.js";
import { plural } from "../output/plural.js";
import type { Runner } from "../runner.js";
import { describeSettings } from "./describe.js";
import { EXAMPLE_ID, expiryOf, keyNameOption, type Output, type Settings } from "./options.js";

/** Adds `keys create`. */
export function addCreateCommand(keys: Command, { withSchema, report }: Runner): void {
  keys
    .command("create")
    .description("create a key and print it, once")
    .addOption(organizationOption())
    .addOption(keyNameOption().makeOptionMandatory())
    .addOption(tierOption().makeOptionMandatory())
    .addOption(scopeOption().makeOptionMandatory())
    .addOption(expiryOption())
    .addOption(quietOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      example(
        'keys create --organization acme --name "ERP" --tier pro --scope read:emissions read:market',
        'keys create --organization acme --name "Audit" --tier free --scope read:emissions --expires-at 2027-06-30',
      ),
    )
    .action(
      async ({ scope, expiresAt = "never", ...options }: Settings & { organization: string } & Output) => {
        const { organization, name, tier } = options;
        const request = { organization, name, tier, scopes: scope, expiresAt: expiryOf(expiresAt) };
        const created = await withSchema((context) => createKey(context, request));
        const text = `Id: ${created.id}. ${describeSettings(created)}`;
        report(created, options.json, describeCreated(created, options, text));
      },
    );
}

/** Adds `keys rotate`. */
export function addRotateCommand(keys: Command, { withSchema, report }: Runner): void {
  keys
    .command("rotate")
    .description("replace a key with a new one of the same name, tier, scopes and expiry")
    .argument("<id>", "id of the key to replace")
    .addOption(
      new Option("--overlap <hours>", "how long the old key keeps working")
        .choices(OVERLAP_HOURS.map(String))
        .default("0", "0: revoked at once"),
    )
    .addOption(quietOption())
    .addOption(jsonOption())
    .addHelpText("after", example(`keys rotate ${EXAMPLE_ID} --overlap 24`))
    .action(async (id: string, { overlap, ...output }: { overlap: string } & Output) => {
      const created = await withSchema((context) => rotateKey(context, id, Number(overlap)));
      const end =
        overlap === "0"
          ? "is revoked"
          : `works for another ${plural(Number(overlap), "hour")}, or until it expires`;
      const text = `Id: ${created.id}. The old key, ${id}, ${end}.`;
      report(created, output.json, describeCreated(created, output, text));
    });
}

function describeCreated({ key }: CreatedKey, { quiet }: Output, text: string): string {
  return quiet ? key : `${key}\n\nSave this key now: it is not stored and cannot be shown again.\n${text}`;
}
