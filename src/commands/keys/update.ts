import type { Command } from "commander";
import { changeKey } from "../../actions/keys/change-key.js";
import { revokeKeyById } from "../../actions/keys/revoke-key.js";
import { example, expiryOf, expiryOption, jsonOption, scopeOption, tierOption } from "../options.js";
import { printable } from "../output/terminal.js";
import type { Runner } from "../runner.js";
import { describeSettings } from "./describe.js";
import { EXAMPLE_ID, keyNameOption, type Settings } from "./options.js";

/** Adds `keys revoke`. */
export function addRevokeCommand(keys: Command, { withSchema, report }: Runner): void {
  keys
    .command("revoke")
    .description("revoke a key, immediately and permanently")
    .argument("<id>", "id of the key")
    .addOption(jsonOption())
    .addHelpText("after", example(`keys revoke ${EXAMPLE_ID}`))
    .action(async (id: string, { json }: { json?: boolean }) => {
      const key = await withSchema((context) => revokeKeyById(context, id));
      const name = `${key.display} (${printable(key.name)}) of ${key.organization}`;
      report(key, json, `${name} was revoked at ${key.revokedAt?.toISOString()}.`);
    });
}

/** Adds `keys update`. */
export function addUpdateCommand(keys: Command, { withSchema, report }: Runner): void {
  keys
    .command("update")
    .description("change a key's tier, scopes, name or expiry")
    .argument("<id>", "id of the key")
    .addOption(tierOption())
    .addOption(scopeOption())
    .addOption(keyNameOption())
    .addOption(expiryOption())
    .addOption(jsonOption())
    .addHelpText("after", example(`keys update ${EXAMPLE_ID} --tier enterprise --expires-at never`))
    .action(
      async (id: string, { json, scope, expiresAt, ...changes }: Partial<Settings> & { json?: boolean }) => {
        const key = await withSchema((context) =>
          changeKey(context, id, {
            ...changes,
            ...(scope && { scopes: scope }),
            ...(expiresAt && { expiresAt: expiryOf(expiresAt) }),
          }),
        );
        report(key, json, `Changed ${key.display}. ${describeSettings(key)}`);
      },
    );
}
