import type { KeyContext } from "../actions/keys/key-checks.js";
import { readConfig } from "../config.js";
import { openDatabase } from "../data/database/open.js";
import { migrate, requireMigrated } from "../data/database/schema/migrations.js";
import type { Database } from "../data/database/types.js";
import { MIGRATIONS_FOLDER } from "../paths.js";
import { describeLocation } from "./database-location.js";
import { listPepperWarnings } from "./doctor/peppers.js";
import { toJson } from "./output/json.js";
import { printableLines } from "./output/terminal.js";

/** Resources shared by all commands: environment, clock, output and access to the database. */
export type Runner = ReturnType<typeof createRunner>;

/** Note on a new embedded database. */
export const JUST_CREATED = "just created";

/** Options for opening a command's database. */
export interface OpenOptions {
  /** True to create a missing embedded database instead of failing. */
  readonly mayCreate?: boolean;
}

/** Creates this process's runner. */
export function createRunner(environment: NodeJS.ProcessEnv, clock: () => Date) {
  let showsLocation = true;
  const say = (text: string) => void process.stderr.write(`${printableLines(text)}\n`);
  const print = (text: string) => void process.stdout.write(`${printableLines(text)}\n`);
  // A command finishes its work even if nobody reads its output.
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    say(`Cannot write to standard output: ${error.message}. The command continues.`);
    process.exitCode = 1;
  });

  /** Ends the process when its embedded database cannot continue. */
  function onLost(error: Error): never {
    say(error.message);
    process.exit(1);
  }

  /** Suppresses the line with the location of the database. */
  function hideLocation(): void {
    showsLocation = false;
  }

  /** Opens the database for one command, and prints its location. Not for `serve`, which opens its own. */
  async function withDatabase<T>(
    work: (database: Database, pepper: string | undefined) => Promise<T>,
    { mayCreate = false }: OpenOptions = {},
  ): Promise<T> {
    const config = readConfig(environment);
    for (const text of config.misspelled) say(`Warning: ${text}`);
    // Not through a pooler, because a command may need one connection for longer than a pooler allows.
    const url = config.databaseDirectUrl ?? config.databaseUrl;
    let isNew = false;
    const database = await openDatabase({
      url,
      dataDir: config.dataDir,
      mayCreate: mayCreate && config.mayCreateDatabase,
      statementTimeoutMs: 0,
      onCreated: () => {
        isNew = true;
      },
      onError: (error) => say(`Database connection failed: ${error.message}`),
      warn: (error, message) => say(`Warning: ${message}: ${(error as Error).message}`),
      onLost,
    });
    const place = `Database: ${describeLocation(url, config.dataDir)}`;
    if (isNew) say(`${place}, ${JUST_CREATED}. To use another, set DATA_DIR or DATABASE_URL.`);
    else if (showsLocation) say(place);
    try {
      return await work(database, config.keyPepper);
    } finally {
      await database.close();
    }
  }

  /**
   * Opens the database with an up-to-date schema. Migrates an embedded database; throws if any other is not migrated.
   */
  function withSchema<T>(
    work: (context: Omit<KeyContext, "caller">) => Promise<T>,
    opening?: OpenOptions,
  ): Promise<T> {
    return withDatabase(async (database, pepper) => {
      if (readConfig(environment).databaseUrl === undefined) await migrate(database, MIGRATIONS_FOLDER);
      else await requireMigrated(database, MIGRATIONS_FOLDER);
      return work({ database, pepper, now: clock() });
    }, opening);
  }

  /** The same for commands that create a key or token. Warns if the gateways may refuse it. */
  function withPeppers<T>(work: (context: Omit<KeyContext, "caller">) => Promise<T>): Promise<T> {
    return withSchema(async (context) => {
      const warnings = await listPepperWarnings(context.database, readConfig(environment), context.now);
      for (const text of warnings) say(`Warning: ${text}`);
      return work(context);
    });
  }

  /** Prints a result on standard output, as JSON or as readable text. */
  function report(result: unknown, json: boolean | undefined, text: string): void {
    print(json ? toJson(result) : text);
  }

  return {
    environment,
    clock,
    say,
    print,
    onLost,
    hideLocation,
    withDatabase,
    withSchema,
    withPeppers,
    report,
  };
}
