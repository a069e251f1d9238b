import { readConfig } from "../config.js";
import { type Database, openDatabase } from "../data/database.js";
import { migrate, requireMigrated } from "../data/migrations.js";
import { MIGRATIONS_FOLDER } from "../paths.js";
import type { KeyContext } from "./keys.js";
import { showableLines } from "./terminal.js";

/** What every command but `serve` runs in. */
export type Runner = ReturnType<typeof createRunner>;

export function createRunner(environment: NodeJS.ProcessEnv, clock: () => Date) {
  const say = (text: string) => void process.stderr.write(`${showableLines(text)}\n`);
  const print = (text: string) => void process.stdout.write(`${showableLines(text)}\n`);
  // A command does what it is to do, whether anybody can read of it or not.
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    say(`Standard output cannot be written: ${error.message}. What was to be done is done all the same.`);
    process.exitCode = 1;
  });

  /** Opens the database for one command; `serve` has its own ways. */
  async function withDatabase<T>(
    work: (database: Database, pepper: string | undefined) => Promise<T>,
  ): Promise<T> {
    const config = readConfig(environment);
    const database = await openDatabase({
      // A pooler's limits are made for requests; one command may take one connection for long.
      url: config.databaseDirectUrl ?? config.databaseUrl,
      dataDir: config.dataDir,
      statementTimeoutMs: 0,
      onError: (error) => say(`database connection failed: ${error.message}`),
      onLost: (error) => {
        say(error.message);
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
      if (readConfig(environment).databaseUrl === undefined) await migrate(database, MIGRATIONS_FOLDER);
      else await requireMigrated(database, MIGRATIONS_FOLDER);
      return work({ database, pepper, now: clock() });
    });
  }

  /** Prints a result for machines on standard output, or its text for people on standard error. */
  function report(result: unknown, json: boolean | undefined, text: string): void {
    if (json) print(JSON.stringify(result));
    else say(text);
  }

  return { say, print, withDatabase, withSchema, report };
}
