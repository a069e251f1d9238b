import type { Config } from "../../config.js";
import { sampleBalances } from "../../data/credits/balances.js";
import { listDisabledTriggers, listOldRows, listUnwatchedPartitions } from "../../data/database/integrity.js";
import { compareMigrations } from "../../data/database/migrations.js";
import { hearsItself } from "../../data/database/server-state.js";
import type { Database } from "../../data/database/types.js";
import { sampleEmissionDays } from "../../data/emissions/days.js";
import { MIGRATIONS_FOLDER } from "../../paths.js";
import { attempt, type Finding, fail, ok, warn } from "./finding.js";
import { examinePeppers } from "./peppers.js";

const ECHO_MS = 2_000;

/** What is in a database, on a server or embedded: migrations, messages, sums and keys. */
export async function examineContent(
  database: Database,
  config: Config,
  now: Date,
  mendMigrations: string,
): Promise<Finding[]> {
  const migrations = await attempt("migrations", async () => {
    const { pending, unknown } = await compareMigrations(database, MIGRATIONS_FOLDER);
    if (pending.length > 0)
      return [fail("migrations", `The database lacks ${pending.join(", ")}.`, mendMigrations)];
    if (unknown.length === 0) return [ok("migrations", "All are applied.")];
    return [
      warn(
        "migrations",
        `The database has been migrated by a later version: ${unknown.join(", ")}.`,
        "Run that version here too.",
      ),
    ];
  });
  const isMigrated = migrations.every(({ status }) => status !== "failure");
  const messages = await attempt("change notifications", async () => [
    (await hearsItself(database, ECHO_MS))
      ? ok("change notifications", "What NOTIFY sends is heard.")
      : fail(
          "change notifications",
          "What NOTIFY sends is not heard: gateways would remember nothing, and read every answer from the database.",
          "Set DATABASE_DIRECT_URL to PostgreSQL itself where DATABASE_URL leads to a pooler of transactions (PgBouncer's pool_mode): it cannot pass messages on.",
        ),
  ]);
  return [
    ...migrations,
    ...messages,
    ...(isMigrated ? await examineRows(database) : []),
    ...(isMigrated ? await attempt("key pepper", () => examinePeppers(database, config, now)) : []),
  ];
}

/** Whether what is kept of rows follows them, and will, and whether all rows are what the checks allow. */
async function examineRows(database: Database): Promise<Finding[]> {
  return [
    ...(await attempt("triggers", () => examineTriggers(database))),
    ...(await attempt("sums", async () =>
      examineSample("sums", "the sums", "emission records", await sampleEmissionDays(database)),
    )),
    ...(await attempt("credit balances", async () =>
      examineSample(
        "credit balances",
        "the balances",
        "sales and retirements",
        await sampleBalances(database),
      ),
    )),
    ...(await attempt("old rows", () => examineOldRows(database))),
  ];
}

function examineSample(
  check: string,
  what: string,
  followed: string,
  differing: readonly string[],
): Finding[] {
  if (differing.length === 0)
    return [ok(check, `In a sample, ${what} agree with the ${followed}; verify compares all.`)];
  const count = differing.length === 1 ? "one organization" : `${differing.length} organizations`;
  return [
    fail(
      check,
      `In ${count}, ${what} differ from the ${followed}: ${listSome(differing)}.`,
      "Run: npm run gateway -- verify, and with --repair to put them right.",
    ),
  ];
}

async function examineTriggers(database: Database): Promise<Finding[]> {
  const check = "triggers";
  const [disabled, unwatched] = [
    await listDisabledTriggers(database),
    await listUnwatchedPartitions(database),
  ];
  const found = disabled.map(({ table, triggers }) =>
    fail(
      check,
      `Triggers of ${table} do not act: ${triggers.join(", ")}.`,
      `As the owner: ALTER TABLE ${table} ENABLE ALWAYS TRIGGER … for each (ENABLE TRIGGER ALL, as a superuser, for foreign keys); then run: npm run gateway -- verify --repair`,
    ),
  );
  if (unwatched.length > 0) {
    const names = listSome(unwatched.map(({ table }) => table));
    found.push(
      fail(
        check,
        `What is written to these partitions themselves is not noticed: ${names}.`,
        "As the owner: SELECT watch_partitions(); then run: npm run gateway -- verify --repair",
      ),
    );
  }
  return found.length > 0 ? found : [ok(check, "All act on every write.")];
}

async function examineOldRows(database: Database): Promise<Finding[]> {
  const check = "old rows";
  const found = await listOldRows(database);
  if (found.length === 0) return [ok(check, "Every row passes the checks that are younger than it.")];
  const counts = found.map((one) => `${one.rows} of ${one.table} (${one.check})`);
  return [
    warn(
      check,
      `Some rows do not pass a check that is younger than they are, and cannot be updated: ${listSome(counts)}.`,
      "Correct or remove them.",
    ),
  ];
}

function listSome(names: readonly string[]): string {
  return `${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""}`;
}
