import type { Command } from "commander";
import { createKey } from "../../actions/keys/create-key.js";
import type { CreatedKey } from "../../actions/keys/new-key.js";
import { rotateKey } from "../../actions/keys/rotate-key.js";
import {
  example,
  expiryOf,
  expiryOption,
  jsonOption,
  type Output,
  organizationOption,
  overlapOption,
  quietOption,
  scopeOption,
  tierOption,
} from "../options.js";
import { describeOverlap, describeSecret } from "../output/secret.js";
import type { Runner } from "../runner.js";
import { describeSettings } from "./describe.js";
import { EXAMPLE_ID, keyNameOption, type Settings } from "./options.js";

/** Adds `keys create`. */
export function addCreateCommand(keys: Command, { withPeppers, report }: Runner): void {
  keys
    .command("create")
    .description("create a key and print it once")
    .addOption(organizationOption())
    .addOption(keyNameOption().makeOptionMandatory())
    .addOption(tierOption().makeOptionMandatory())
    .addOption(scopeOption().makeOptionMandatory())
    .addOption(expiryOption())
    .addOption(quietOption("key"))
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
        const created = await withPeppers((context) => createKey(context, request));
        report(created, options.json, describeCreated(created, options, describeSettings(created)));
      },
    );
}

/** Adds `keys rotate`. */
export function addRotateCommand(keys: Command, { withPeppers, report }: Runner): void {
  keys
    .command("rotate")
    .description("replace a key with a new one that has the same name, tier, scopes and expiry")
    .argument("<id>", "id of the key to replace")
    .addOption(overlapOption("old key"))
    .addOption(quietOption("key"))
    .addOption(jsonOption())
    .addHelpText("after", example(`keys rotate ${EXAMPLE_ID} --overlap 24`))
    .action(async (id: string, { overlap, ...output }: { overlap: string } & Output) => {
      const created = await withPeppers((context) => rotateKey(context, id, Number(overlap)));
      const text = `The old key, ${id}, ${describeOverlap(overlap)}.`;
      report(created, output.json, describeCreated(created, output, text));
    });
}

const describeCreated = ({ id, key }: CreatedKey, output: Output, text: string): string =>
  describeSecret("key", key, output, { id, text });
