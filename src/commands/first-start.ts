import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashKey, isWellFormedKey } from "../auth/key.js";
import type { Database } from "../data/database.js";
import { findKeyByHash } from "../data/keys.js";
import { migrate } from "../data/migrations.js";
import { findOrganization, isEmpty } from "../data/organizations.js";
import { SCOPES } from "../domain/scopes.js";
import { MIGRATIONS_FOLDER, SAMPLE_FOLDER } from "../paths.js";
import { createKey } from "./keys.js";
import { loadSample } from "./sample.js";

const DEMO_ORGANIZATION = "demo";

export interface FirstStartOptions {
  readonly database: Database;
  readonly dataDir: string;
  readonly pepper: string | undefined;
  readonly now: Date;
}

/**
 * Makes an embedded database ready: migrates it, loads the sample into it when it is empty, and returns a working key
 * of the demonstration organization; null where the user has removed that.
 */
export async function prepareEmbedded(options: FirstStartOptions): Promise<string | null> {
  const { database, now } = options;
  await migrate(database, MIGRATIONS_FOLDER);
  if (await isEmpty(database)) {
    // All of it or nothing: half a sample, left by a start that was cut off, would look like the user's own data.
    await database.transaction((sql) =>
      loadSample({ ...database, transaction: (work) => work(sql) }, SAMPLE_FOLDER, now),
    );
  }
  return (await findOrganization(database, DEMO_ORGANIZATION)) ? demoKey(options) : null;
}

/** The key of earlier starts while it works, else a new one; kept in a file that only its owner can read. */
async function demoKey({ database, dataDir, pepper, now }: FirstStartOptions): Promise<string> {
  const file = join(dataDir, "demo-key");
  const kept = (await readFile(file, "utf8").catch(() => "")).trim();
  const stored = isWellFormedKey(kept) ? await findKeyByHash(database, hashKey(kept, pepper)) : null;
  if (stored && stored.revokedAt === null && (stored.expiresAt === null || stored.expiresAt > now))
    return kept;

  const { key } = await createKey(
    { database, pepper, now },
    { organization: DEMO_ORGANIZATION, name: "Demonstration", tier: "pro", scopes: SCOPES, expiresAt: null },
  );
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}
