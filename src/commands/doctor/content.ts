import type { Config } from "../../config.js";
import { sampleBalances } from "../../data/credits/verify-balances.js";
import {
  listDisabledTriggers,
  listInvalidRows,
  listUnwatchedPartitions,
} from "../../data/database/schema/integrity.js";
import { compareMigrations } from "../../data/database/schema/migrations.js";
import { readWritingRole } from "../../data/database/schema/writing-role.js";
import { receivesOwnMessages } from "../../data/database/server-state.js";
import type { Database } from "../../data/database/types.js";
import { sampleEmissionDays } from "../../data/emissions/verify-days.js";
import { checkReferenceFactors } from "../../data/factors/factors.js";
import { MIGRATIONS_FOLDER } from "../../paths.js";
import { listSome } from "../output/list-some.js";
import { examineCertificateKey } from "./certificate-key.js";
import { attempt, type Finding, fail, ok, warn } from "./finding.js";
import { examinePeppers } from "./peppers.js";
import { examineWritingRole } from "./writing-role.js";

const ECHO_MS = 2_000;

/** Checks migrations, change notifications, the writing role, stored data and keys. */
export async function examineContent(
  database: Database,
  config: Config,
  now: Date,
  mendMigrations: string,
): Promise<Finding[]> {
  const migrations = await attempt("migrations", async () => {
    const { pending, unknown } = await compareMigrations(database, MIGRATIONS_FOLDER);
    if (pending.length > 0) return [fail("migrations", `Not applied: ${listSome(pending)}.`, mendMigrations)];
    if (unknown.length === 0) return [ok("migrations", "All are applied.")];
    return [
      warn(
        "migrations",
        `Applied by a later version of the gateway: ${unknown.join(", ")}.`,
        "Run that version here as well.",
      ),
    ];
  });
  const isMigrated = migrations.every(({ status }) => status !== "failure");
  const messages = await attempt("change notifications", async () => [
    (await receivesOwnMessages(database, ECHO_MS))
      ? ok("change notifications", "NOTIFY messages arrive.")
      : fail(
          "change notifications",
          "NOTIFY messages do not arrive, so gateways cache nothing, and query the database for every response.",
          "If DATABASE_URL points to a transaction pooler (PgBouncer's pool_mode), which does not forward messages, set DATABASE_DIRECT_URL to PostgreSQL itself.",
        ),
  ]);
  if (!isMigrated) return [...migrations, ...messages];
  return [
    ...migrations,
    ...messages,
    ...(await attempt("writing role", async () => examineWritingRole(await readWritingRole(database)))),
    ...(await attempt("emission factors", () => examineFactors(database))),
    ...(await examineRows(database)),
    ...(await attempt("key pepper", () => examinePeppers(database, config, now))),
    ...(await attempt("certificate key", () => examineCertificateKey(database, config))),
  ];
}

/** Checks triggers, samples of stored sums and balances, and rows that violate newer constraints. */
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

async function examineFactors(database: Database): Promise<Finding[]> {
  const check = "emission factors";
  const loaded = await checkReferenceFactors(database);
  if (loaded === "current") return [ok(check, "The emission factors that come with the gateway are loaded.")];
  const fault =
    loaded === "none"
      ? "No emission factors are loaded, so activities cannot be calculated."
      : "The emission factors are those of an earlier release, with 24 of 222 electricity grids.";
  return [warn(check, fault, "Run: npm run gateway -- load-factors")];
}

function examineSample(
  check: string,
  stored: string,
  source: string,
  differing: readonly string[],
): Finding[] {
  if (differing.length === 0)
    return [ok(check, `In a sample, ${stored} match the ${source}. To check all, run verify.`)];
  const count = differing.length === 1 ? "one organization" : `${differing.length} organizations`;
  return [
    fail(
      check,
      `In ${count}, ${stored} differ from the ${source}: ${listSome(differing)}.`,
      "Run: npm run gateway -- verify --repair",
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
      `Triggers of ${table} are disabled: ${triggers.join(", ")}.`,
      `As the owner: ALTER TABLE ${table} ENABLE ALWAYS TRIGGER … for each (ENABLE TRIGGER ALL, as a superuser, for foreign keys); then run: npm run gateway -- verify --repair`,
    ),
  );
  if (unwatched.length > 0) {
    const names = listSome(unwatched.map(({ table }) => table));
    found.push(
      fail(
        check,
        `Direct writes to these partitions go unnoticed: ${names}.`,
        "As the owner: SELECT watch_partitions(); then run: npm run gateway -- verify --repair",
      ),
    );
  }
  return found.length > 0 ? found : [ok(check, "All are enabled.")];
}

async function examineOldRows(database: Database): Promise<Finding[]> {
  const check = "old rows";
  const found = await listInvalidRows(database);
  if (found.length === 0) return [ok(check, "Every row satisfies all constraints.")];
  const counts = found.map((one) => `${one.rows} of ${one.table} (${one.check})`);
  return [
    warn(
      check,
      `Some rows violate a newer constraint and cannot be updated: ${listSome(counts)}.`,
      "Correct or delete them.",
    ),
  ];
}
