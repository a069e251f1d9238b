import { join } from "node:path";
import { generateKey, isWellFormedKey, listHashes, type Pepper } from "../../access/secrets/api-key.js";
import { loadSample } from "../../actions/bundle/sample.js";
import { loadFactors } from "../../actions/factors/load-factors.js";
import { createRow } from "../../actions/keys/new-key.js";
import { renewOwnerToken } from "../../actions/people/sign-in-links.js";
import { migrate } from "../../data/database/schema/migrations.js";
import { write } from "../../data/database/transaction.js";
import type { Database } from "../../data/database/types.js";
import { checkReferenceFactors } from "../../data/factors/factors.js";
import { findKeyByHash } from "../../data/keys/keys.js";
import { insertKey } from "../../data/keys/write-keys.js";
import { findOrganization, isEmpty } from "../../data/organizations/organizations.js";
import { insertFirstOwner } from "../../data/people/accounts.js";
import { KEY_SCOPES } from "../../domain/scopes.js";
import { MIGRATIONS_FOLDER, REFERENCE_FOLDER, SAMPLE_FOLDER } from "../../paths.js";
import { readKeyFile, replaceKeyFile } from "./key-file.js";

const DEMO_ORGANIZATION = "demo";
/** Nobody receives mail at this domain: RFC 2606 reserves it. */
const DEMO_OWNER = { email: "owner@demo.example", name: "Demo owner" };

export interface FirstStartOptions {
  readonly database: Database;
  readonly dataDir: string;
  /** Peppers of existing keys. New keys are hashed with the first. */
  readonly peppers: readonly Pepper[];
  readonly now: Date;
}

/** Credentials for the demo organization. */
export interface Demonstration {
  /** Null if the key is not usable, for example because it was revoked or its file was removed. */
  readonly key: string | null;
  /** Signs the owner in, once; null if the owner has a password or does not exist, or without the key file. */
  readonly signInToken: string | null;
}

/**
 * Prepares an embedded database: migrates it, updates the emission factors of an earlier release, loads the sample data
 * if it is empty, and adds an owner to the demo organization if it has no members. Returns credentials for that
 * organization.
 */
export async function prepareEmbedded(options: FirstStartOptions): Promise<Demonstration> {
  const { database, dataDir, now } = options;
  const file = join(dataDir, "demo-key");
  await migrate(database, MIGRATIONS_FOLDER);
  const factors = await checkReferenceFactors(database);
  if (factors === "outdated") await loadFactors(database, REFERENCE_FOLDER);
  if (await isEmpty(database)) {
    // Written before the sample: without this file, an organization named `demo` is assumed to be the user's own.
    await replaceKeyFile(file, generateKey());
    // In one transaction, because half a sample, left by an interrupted start, would look like the user's own data.
    await database.transaction(async (sql) => {
      const whole: Database = { ...database, transaction: (work) => work(sql) };
      if (factors === "none") await loadFactors(whole, REFERENCE_FOLDER);
      await loadSample(whole, SAMPLE_FOLDER, now);
    });
  }
  const kept = await readKeyFile(file);
  if (kept === null) return { key: null, signInToken: null };
  const text = isWellFormedKey(kept.text) ? kept.text : generateKey();
  if (text !== kept.text || !kept.isPrivate) await replaceKeyFile(file, text);
  const key = await requireDemoKey(options, text);
  return { key, signInToken: await requireOwner(options) };
}

/** Adds the owner if the organization has no members. Returns a new sign-in token unless the owner has a password. */
async function requireOwner({ database, peppers, now }: FirstStartOptions): Promise<string | null> {
  const organization = await findOrganization(database, DEMO_ORGANIZATION);
  if (!organization) return null;
  await write(database, "serve", (sql) => insertFirstOwner(sql, organization.id, DEMO_OWNER));
  return renewOwnerToken({ database, pepper: peppers[0], now }, DEMO_OWNER.email);
}

/** Returns the key in the file if it is valid. Creates the key if a start was interrupted after it wrote the file. */
async function requireDemoKey(
  { database, peppers, now }: FirstStartOptions,
  key: string,
): Promise<string | null> {
  const hashes = listHashes(key, peppers);
  const stored = await findKeyByHash(database, hashes);
  if (stored) {
    const isGood = stored.revokedAt === null && (stored.expiresAt === null || stored.expiresAt > now);
    return isGood ? key : null;
  }
  const organization = await findOrganization(database, DEMO_ORGANIZATION);
  if (!organization) return null;
  const settings = { name: "Demonstration", tier: "pro", scopes: KEY_SCOPES, expiresAt: null } as const;
  const row = createRow({ pepper: peppers[0], now }, { organizationId: organization.id, ...settings }, key);
  await write(database, "serve", (sql) => insertKey(sql, row));
  return key;
}
