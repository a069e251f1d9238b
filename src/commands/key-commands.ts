import { type Command, Option } from "commander";
import { formatHistory, type HistorySubject, readHistory } from "../actions/key-history.js";
import {
  type CreatedKey,
  changeKey,
  createKey,
  type KeyDescription,
  listKeysOf,
  revokeKeyById,
  rotateKey,
} from "../actions/keys.js";
import type { Scope } from "../domain/scopes.js";
import type { Tier } from "../domain/tiers.js";
import { OperatorError } from "../errors.js";
import {
  example,
  expiryOption,
  jsonOption,
  keyNameOption,
  organizationOption,
  quietOption,
  readHours,
  readName,
  scopeOption,
  tierOption,
} from "./options.js";
import type { Runner } from "./runner.js";
import { formatTable } from "./table.js";
import { showable } from "./terminal.js";

/** An id for examples. */
const ID = "3c5a0b52-8a6e-4c1c-a0c2-0d4f5e4f9d11";

interface Settings {
  readonly name: string;
  readonly tier: Tier;
  readonly scope: readonly Scope[];
  readonly expiresAt?: Date | "never";
}

interface Output {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Adds `keys create | list | history | revoke | rotate | update`. */
export function addKeyCommands(program: Command, { withSchema, report }: Runner): void {
  const keys = program.command("keys").description("manage API keys");

  const reportCreated = (created: CreatedKey, { json, quiet }: Output, text: string) =>
    report(
      created,
      json,
      quiet
        ? created.key
        : `${created.key}\n\nSave this key now: it is not stored and cannot be shown again.\n${text}`,
    );

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
        reportCreated(created, options, `Its id is ${created.id}. ${describeSettings(created)}`);
      },
    );

  keys
    .command("list")
    .description("list keys, never their secrets")
    .addOption(organizationOption().makeOptionMandatory(false))
    .addOption(jsonOption())
    .addHelpText("after", example("keys list --organization acme"))
    .action(async ({ organization, json }: { organization?: string; json?: boolean }) => {
      const list = await withSchema((context) => listKeysOf(context, organization));
      const owner = organization === undefined ? "There are no keys." : `${organization} has no keys.`;
      report(list, json, list.length === 0 ? owner : formatKeys(list));
    });

  keys
    .command("history")
    .description("show what happened to a key, or to an organization's keys, oldest first")
    .argument("[id]", "id of the key, which may be deleted")
    .addOption(
      new Option("--organization <slug>", "slug of the organization, which may be deleted").argParser(
        readName,
      ),
    )
    .addOption(jsonOption())
    .addHelpText("after", example(`keys history ${ID}`, "keys history --organization acme"))
    .action(async (id: string | undefined, options: { organization?: string; json?: boolean }) => {
      const subject = readSubject(id, options.organization);
      const history = await withSchema((context) => readHistory(context, subject));
      report(history, options.json, formatHistory(history));
    });

  keys
    .command("revoke")
    .description("revoke a key at once and for good")
    .argument("<id>", "id of the key")
    .addOption(jsonOption())
    .addHelpText("after", example(`keys revoke ${ID}`))
    .action(async (id: string, { json }: { json?: boolean }) => {
      const key = await withSchema((context) => revokeKeyById(context, id));
      report(
        key,
        json,
        `${key.display} (${showable(key.name)}) of ${key.organization} has been revoked since ${key.revoked_at}.`,
      );
    });

  keys
    .command("rotate")
    .description("replace a key with a new one of the same name, tier, scopes and expiry")
    .argument("<id>", "id of the key to replace")
    .addOption(
      new Option("--overlap <hours>", "how long the old key keeps working")
        .argParser(readHours)
        .default(0, "0: it is revoked at once"),
    )
    .addOption(quietOption())
    .addOption(jsonOption())
    .addHelpText("after", example(`keys rotate ${ID} --overlap 72`))
    .action(async (id: string, { overlap, ...output }: { overlap: number } & Output) => {
      const created = await withSchema((context) => rotateKey(context, id, overlap));
      const end = overlap === 0 ? "is revoked" : `works for another ${overlap} hours, or until it expires`;
      reportCreated(created, output, `Its id is ${created.id}. The old key, ${id}, ${end}.`);
    });

  keys
    .command("update")
    .description("change a key's tier, scopes, name or expiry")
    .argument("<id>", "id of the key")
    .addOption(tierOption())
    .addOption(scopeOption())
    .addOption(keyNameOption())
    .addOption(expiryOption())
    .addOption(jsonOption())
    .addHelpText("after", example(`keys update ${ID} --tier enterprise --expires-at never`))
    .action(async (id: string, { json, scope, expiresAt, ...changes }: Partial<Settings> & Output) => {
      const key = await withSchema((context) =>
        changeKey(context, id, {
          ...changes,
          ...(scope && { scopes: scope }),
          ...(expiresAt && { expiresAt: expiryOf(expiresAt) }),
        }),
      );
      report(key, json, `Changed ${key.display}. ${describeSettings(key)}`);
    });
}

const expiryOf = (expiresAt: Date | "never") => (expiresAt === "never" ? null : expiresAt);

/** What is set for a key, such as `Name ERP, tier pro, scopes read:market, expires never.` */
function describeSettings({ name, tier, scopes, expires_at }: CreatedKey | KeyDescription): string {
  return `Name ${showable(name)}, tier ${tier}, scopes ${scopes.join(", ")}, expires ${expires_at ?? "never"}.`;
}

function formatKeys(keys: readonly KeyDescription[]): string {
  return formatTable(
    ["id", "key", "organization", "status", "tier", "expires", "replaced by", "scopes", "name"],
    keys.map((key) => [
      ...[key.id, key.display, key.organization, key.status, key.tier],
      ...[key.expires_at ?? "never", key.replaced_by ?? "-", key.scopes.join(","), key.name],
    ]),
  );
}

function readSubject(id: string | undefined, organization: string | undefined): HistorySubject {
  if (id !== undefined && organization === undefined) return { id };
  if (id === undefined && organization !== undefined) return { organization };
  throw new OperatorError("Give either a key's id or --organization.", 2);
}
