import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { describeImport, ImportError, importFile } from "./commands/import.js";
import { addImportOptions, type RawImportOptions, readImportOptions } from "./commands/import-options.js";
import { watchInterruption } from "./commands/interruption.js";
import {
  changeKey,
  createKey,
  type KeyContext,
  listKeysOf,
  revokeKeyById,
  rotateKey,
} from "./commands/keys.js";
import { loadFiles } from "./commands/load.js";
import { createOrganization, describeOrganizations } from "./commands/organizations.js";
import { serve } from "./commands/serve.js";
import { describeVerification, verify } from "./commands/verify.js";
import { readConfig } from "./config.js";
import { type Database, isDatabaseUnavailable, openDatabase } from "./data/database.js";
import { migrate, requireMigrated } from "./data/migrations.js";
import { SCOPES, type Scope } from "./domain/scopes.js";
import { TIERS, type Tier } from "./domain/tiers.js";
import { OperatorError } from "./errors.js";
import { MIGRATIONS_FOLDER } from "./paths.js";

const clock = () => new Date();
const say = (text: string) => process.stderr.write(`${text}\n`);
const print = (text: string) => process.stdout.write(`${text}\n`);

const program = new Command("gateway")
  .description("A GraphQL gateway for carbon accounting, with a thin REST facade")
  .exitOverride()
  .configureOutput({
    writeOut: (text) => process.stdout.write(text),
    writeErr: (text) => process.stderr.write(text),
  });

/** Opens the database for one command; `serve` has its own ways. */
async function withDatabase<T>(
  work: (database: Database, pepper: string | undefined) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env);
  const database = await openDatabase({
    url: config.databaseUrl,
    dataDir: config.dataDir,
    statementTimeoutMs: 0,
    onError: (error) => say(`database connection failed: ${error.message}`),
    onLockLost: () => {
      say("another process has taken DATA_DIR: stopping before it is damaged");
      process.exit(1);
    },
  });
  try {
    return await work(database, config.keyPepper);
  } finally {
    await database.close();
  }
}

/** The same on a schema that is up to date: an embedded one is brought up to date, another is refused. */
function withSchema<T>(work: (context: KeyContext) => Promise<T>): Promise<T> {
  return withDatabase(async (database, pepper) => {
    if (readConfig(process.env).databaseUrl === undefined) await migrate(database, MIGRATIONS_FOLDER);
    else await requireMigrated(database, MIGRATIONS_FOLDER);
    return work({ database, pepper, now: clock() });
  });
}

/** Prints a result for machines on standard output, or its text for people on standard error. */
function report(result: unknown, json: boolean | undefined, text: string): void {
  if (json) print(JSON.stringify(result));
  else say(text);
}

const jsonOption = () => new Option("--json", "print machine-readable JSON on standard output");
const tierOption = () => new Option("--tier <tier>", "size of the hourly budget").choices(TIERS);
const scopeOption = () =>
  new Option("--scope <scope...>", "what the key may read; may be given several times").choices(SCOPES);
const organizationOption = () =>
  new Option("--organization <slug>", "the organization").makeOptionMandatory();

function readName(text: string): string {
  const name = text.trim();
  if (name === "") throw new InvalidArgumentError("It must not be blank.");
  return name;
}

function readInstant(text: string): Date {
  const instant = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}(T.+)?$/.test(text) || Number.isNaN(instant.getTime())) {
    throw new InvalidArgumentError("Expected ISO 8601, such as 2027-01-31T00:00:00Z.");
  }
  return instant;
}

function readHours(text: string): number {
  const hours = Number(text);
  if (text.trim() === "" || !(hours >= 0 && hours <= 8_760)) {
    throw new InvalidArgumentError("Expected a number of hours, 0 to 8760.");
  }
  return hours;
}

program
  .command("serve")
  .description("serve both surfaces; an embedded database is created, migrated and filled with sample data")
  .action(() => serve(readConfig(process.env), clock, print));

program
  .command("migrate")
  .description("bring the database's schema up to date")
  .addOption(jsonOption())
  .action(async ({ json }: { json?: boolean }) => {
    const applied = await withDatabase((database) => migrate(database, MIGRATIONS_FOLDER));
    report({ applied }, json, applied.length === 0 ? "Nothing to apply." : `Applied ${applied.join(", ")}.`);
  });

program
  .command("load")
  .description("load bundles: JSON files, each all or nothing")
  .argument("<file...>", "bundles")
  .addOption(jsonOption())
  .action(async (files: string[], { json }: { json?: boolean }) => {
    const results = await withSchema(({ database, now }) => loadFiles(database, files, now, say));
    if (json) print(JSON.stringify(results));
  });

addImportOptions(
  program
    .command("import")
    .description("import emission records from a CSV file of any size, all or nothing")
    .argument("<file.csv>", "the file")
    .addOption(organizationOption())
    .addOption(jsonOption()),
).action(async (file: string, raw: RawImportOptions) => {
  const options = readImportOptions(raw);
  const interruption = watchInterruption((error) => process.exit(exitCodeOf(error)));
  try {
    const summary = await withSchema(({ database }) =>
      importFile(database, file, options, interruption, process.stderr),
    );
    report(summary, raw.json, describeImport(summary));
  } catch (error) {
    if (error instanceof ImportError && raw.json) print(JSON.stringify(error.report));
    throw error;
  } finally {
    interruption.end();
  }
});

program
  .command("verify")
  .description("compare the sums that the database keeps of the emission records with the records")
  .option("--repair", "put right what differs")
  .addOption(jsonOption())
  .action(async ({ repair = false, json }: { repair?: boolean; json?: boolean }) => {
    const result = await withSchema(({ database }) => verify(database, repair));
    report(result, json, describeVerification(result));
    if (result.differences > 0 && !repair) process.exitCode = 1;
  });

const keys = program.command("keys").description("create, list, revoke, rotate and change API keys");

const SHOWN_ONCE = "It is not stored and cannot be shown again.";

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
      [key.id, key.display, key.status, key.tier, key.scopes.join(","), key.name].join("  "),
    );
    report(list, json, lines.length === 0 ? `${organization} has no keys.` : lines.join("\n"));
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
      `${key.display} (${key.name}) of ${key.organization} is revoked since ${key.revoked_at}.`,
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
    report(key, json, `Changed ${key.display}: ${key.name}, ${key.tier}, ${key.scopes.join(", ")}.`);
  });

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
    const lines = list.map(({ id, slug, name }) => `${id}  ${slug}  ${name}`);
    report(list, json, lines.length === 0 ? "There are no organizations." : lines.join("\n"));
  });

/** 0 for help, 2 for bad usage, 1 for everything else that fails. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof OperatorError) {
    say(error.message);
    return error.exitCode;
  }
  say(describeFailure(error));
  return 1;
}

function describeFailure(error: unknown): string {
  const { code, message, port, hostname } = error as NodeJS.ErrnoException & {
    port?: number;
    hostname?: string;
  };
  if (code === "EADDRINUSE") return `Port ${port} is taken by another process. Stop it, or set PORT.`;
  if (code === "EADDRNOTAVAIL" || (hostname !== undefined && hostname === process.env["HOST"]))
    return `HOST is not an address of this machine: ${message}`;
  if (isDatabaseUnavailable(error))
    return `The database of DATABASE_URL cannot be reached: ${message || code}`;
  if (code === "EACCES") return "This user may not listen on that port. Set PORT to one above 1023.";
  return `Failed: ${message || code || String(error)}`;
}

try {
  // Not commander's default command: that would take a misspelt command for an argument of `serve`.
  await program.parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, "serve"]);
} catch (error) {
  // At once: what had been opened before, such as a connection to Redis, would keep the process alive.
  process.exit(exitCodeOf(error));
}
