import { type Command, Option } from "commander";
import type { Scope } from "../domain/scopes.js";
import type { Tier } from "../domain/tiers.js";
import { OperatorError } from "../errors.js";
import { formatHistory, type HistorySubject, readHistory } from "./key-history.js";
import { changeKey, createKey, listKeysOf, revokeKeyById, rotateKey } from "./keys.js";
import {
  jsonOption,
  organizationOption,
  readHours,
  readInstant,
  readName,
  scopeOption,
  tierOption,
} from "./options.js";
import type { Runner } from "./runner.js";
import { showable } from "./terminal.js";

const SHOWN_ONCE = "It is not stored and cannot be shown again.";

/** Adds `keys create | list | history | revoke | rotate | update`. */
export function addKeyCommands(program: Command, { withSchema, report }: Runner): void {
  const keys = program
    .command("keys")
    .description("create, list, revoke, rotate and change API keys, and tell what was done to them");

  keys
    .command("create")
    .description("make a key and print it, this once")
    .addOption(organizationOption())
    .addOption(new Option("--name <name>", "what the key is for").argParser(readName).makeOptionMandatory())
    .addOption(tierOption().makeOptionMandatory())
    .addOption(scopeOption().makeOptionMandatory())
    .addOption(new Option("--expires-at <time>", "when the key ends, ISO 8601").argParser(readInstant))
    .addOption(jsonOption())
    .action(async (options: CreateOptions) => {
      const { organization, name, tier, scope, expiresAt = null, json } = options;
      const created = await withSchema((context) =>
        createKey(context, { organization, name, tier, scopes: scope, expiresAt }),
      );
      report(created, json, `${created.key}\n\nThe key ${created.id} of ${organization}. ${SHOWN_ONCE}`);
    });

  interface CreateOptions {
    organization: string;
    name: string;
    tier: Tier;
    scope: Scope[];
    expiresAt?: Date;
    json?: boolean;
  }

  keys
    .command("list")
    .description("list an organization's keys")
    .addOption(organizationOption())
    .addOption(jsonOption())
    .action(async ({ organization, json }: { organization: string; json?: boolean }) => {
      const list = await withSchema((context) => listKeysOf(context, organization));
      const lines = list.map((key) =>
        [key.id, key.display, key.status, key.tier, key.scopes.join(","), key.name].map(showable).join("  "),
      );
      report(list, json, lines.length === 0 ? `${organization} has no keys.` : lines.join("\n"));
    });

  keys
    .command("history")
    .description("tell what happened to a key, or to an organization's keys, oldest first")
    .argument("[id]", "the key's id; it may be gone")
    .addOption(new Option("--organization <slug>", "the organization; it may be gone").argParser(readName))
    .addOption(jsonOption())
    .action(async (id: string | undefined, options: { organization?: string; json?: boolean }) => {
      const subject = readSubject(id, options.organization);
      const history = await withSchema((context) => readHistory(context, subject));
      report(history, options.json, formatHistory(history));
    });

  keys
    .command("revoke")
    .description("end a key at once, for good")
    .argument("<id>", "the key's id")
    .addOption(jsonOption())
    .action(async (id: string, { json }: { json?: boolean }) => {
      const key = await withSchema((context) => revokeKeyById(context, id));
      report(
        key,
        json,
        `${key.display} (${showable(key.name)}) of ${key.organization} is revoked since ${key.revoked_at}.`,
      );
    });

  keys
    .command("rotate")
    .description("make a key in another's place")
    .argument("<id>", "the id of the key to replace")
    .addOption(
      new Option("--overlap <hours>", "how long the old key goes on")
        .argParser(readHours)
        .default(0, "0: revoked at once"),
    )
    .addOption(jsonOption())
    .action(async (id: string, { overlap, json }: { overlap: number; json?: boolean }) => {
      const created = await withSchema((context) => rotateKey(context, id, overlap));
      const end = overlap === 0 ? "is revoked" : `goes on for ${overlap} hours, or until it expires`;
      report(created, json, `${created.key}\n\nThe key ${created.id}; ${id} ${end}. ${SHOWN_ONCE}`);
    });

  keys
    .command("update")
    .description("change a key's tier, scopes or name")
    .argument("<id>", "the key's id")
    .addOption(tierOption())
    .addOption(scopeOption())
    .addOption(new Option("--name <name>", "what the key is for").argParser(readName))
    .addOption(jsonOption())
    .action(async (id: string, options: { tier?: Tier; scope?: Scope[]; name?: string; json?: boolean }) => {
      const { json, scope, ...changes } = options;
      const key = await withSchema((context) =>
        changeKey(context, id, { ...changes, ...(scope && { scopes: scope }) }),
      );
      report(
        key,
        json,
        `Changed ${key.display}: ${showable(key.name)}, ${key.tier}, ${key.scopes.join(", ")}.`,
      );
    });
}

function readSubject(id: string | undefined, organization: string | undefined): HistorySubject {
  if (id !== undefined && organization === undefined) return { id };
  if (id === undefined && organization !== undefined) return { organization };
  throw new OperatorError("Give either a key's id or --organization.", 2);
}
