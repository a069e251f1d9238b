import type { Config } from "../config.js";
import { hearsItself } from "../data/condition.js";
import type { Database } from "../data/database.js";
import { sampleEmissionDays } from "../data/emission-days.js";
import { compareMigrations } from "../data/migrations.js";
import { MIGRATIONS_FOLDER } from "../paths.js";
import { attempt, type Finding, fail, ok, warn } from "./doctor-finding.js";
import { examinePeppers } from "./doctor-peppers.js";

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
    ...(isMigrated ? await attempt("sums", () => examineSums(database)) : []),
    ...(isMigrated ? await attempt("key pepper", () => examinePeppers(database, config, now)) : []),
  ];
}

async function examineSums(database: Database): Promise<Finding[]> {
  const differing = await sampleEmissionDays(database);
  if (differing.length === 0)
    return [ok("sums", "A sample of them agrees with the records; verify compares all.")];
  const whose =
    differing.length === 1
      ? "one organization differ from its"
      : `${differing.length} organizations differ from their`;
  const names = differing.slice(0, 5).join(", ");
  return [
    fail(
      "sums",
      `The sums of ${whose} records: ${names}${differing.length > 5 ? ", …" : ""}.`,
      "Run: npm run gateway -- verify, and with --repair to put them right.",
    ),
  ];
}
