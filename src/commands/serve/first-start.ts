import { join } from "node:path";
import { generateKey, hashKey, isWellFormedKey, type Pepper } from "../../access/api-key.js";
import { createKey } from "../../actions/keys.js";
import { loadSample } from "../../actions/sample.js";
import { migrate } from "../../data/database/migrations.js";
import type { Database } from "../../data/database/types.js";
import { findKeyByHash } from "../../data/keys/keys.js";
import { findOrganization, isEmpty } from "../../data/organizations/organizations.js";
import { KEY_SCOPES } from "../../domain/scopes.js";
import { MIGRATIONS_FOLDER, SAMPLE_FOLDER } from "../../paths.js";
import { readKeyFile, replaceKeyFile } from "./key-file.js";

const DEMO_ORGANIZATION = "demo";

/** What the preparation of an embedded database needs. */
export interface FirstStartOptions {
  readonly database: Database;
  readonly dataDir: string;
  /** Peppers of existing keys; the first is used for new keys. */
  readonly peppers: readonly Pepper[];
  readonly now: Date;
}

/**
 * Prepares an embedded database: migrates it, and loads the sample if it is empty. Returns a usable key of the
 * demonstration organization; null if there is none, for example because the user revoked it or removed its file.
 */
export async function prepareEmbedded(options: FirstStartOptions): Promise<string | null> {
  const { database, dataDir, now } = options;
  const file = join(dataDir, "demo-key");
  await migrate(database, MIGRATIONS_FOLDER);
  if (await isEmpty(database)) {
    // Before the sample: without the file, an organization of that name is taken for the user's own.
    await replaceKeyFile(file, generateKey());
    // In one transaction: after an interrupted start, half a sample would look like the user's own data.
    await database.transaction((sql) =>
      loadSample({ ...database, transaction: (work) => work(sql) }, SAMPLE_FOLDER, now),
    );
  }
  const kept = await readKeyFile(file);
  if (kept === null) return null;
  const key = isWellFormedKey(kept.text) ? kept.text : generateKey();
  if (key !== kept.text || !kept.isPrivate) await replaceKeyFile(file, key);
  return requireDemoKey(options, key);
}

/** Creates the key in the file if the start that wrote it was interrupted before it could. */
async function requireDemoKey(
  { database, peppers, now }: FirstStartOptions,
  key: string,
): Promise<string | null> {
  const hashes = peppers.map((pepper) => hashKey(key, pepper));
  const stored = await findKeyByHash(database, hashes);
  if (stored) {
    const isGood = stored.revokedAt === null && (stored.expiresAt === null || stored.expiresAt > now);
    return isGood ? key : null;
  }
  if (!(await findOrganization(database, DEMO_ORGANIZATION))) return null;
  const request = {
    organization: DEMO_ORGANIZATION,
    name: "Demonstration",
    scopes: KEY_SCOPES,
    expiresAt: null,
  };
  await createKey({ database, pepper: peppers[0], now }, { ...request, tier: "pro" }, key, "serve");
  return key;
}
