import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Scope } from "../domain/scopes.js";
import type { Tier } from "../domain/tiers.js";
import type { ApiKey } from "../generated/prisma/client.js";
import type { Database } from "./database.js";
import { type CommandName, recordAs, recordRotation } from "./key-events.js";

/** A key and its organization, as every request needs them. */
export interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  lastUsedAt: Date | null;
  /** The end of the window in which its budget was found spent, in milliseconds since 1970; another tier is another object. */
  spentUntil?: number;
  readonly organization: { readonly id: string; readonly slug: string; readonly name: string };
}

/** Tables that a stored key is read from. */
export const KEY_TABLES: ReadonlySet<string> = new Set(["api_keys", "organizations"]);

/** Finds a key by any of its hashes, of several keys that of the first hash, with its organization, in one statement. */
export async function findKeyByHash(
  database: Database,
  hashes: readonly string[],
): Promise<StoredKey | null> {
  const [key] = await database.select<StoredKey>(
    `SELECT k.id, k.name, k.tier::text AS tier, k.scopes, k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt",
       k.last_used_at AS "lastUsedAt", jsonb_build_object('id', o.id, 'slug', o.slug, 'name', o.name) AS organization
     FROM api_keys k JOIN organizations o ON o.id = k.organization_id
     WHERE k.hash = ANY($1::text[]) ORDER BY array_position($1, k.hash) LIMIT 1`,
    [hashes],
  );
  return key ?? null;
}

const LAST_USE_INTERVAL_MS = 60_000;

/** Notes that a key was used; nobody waits for it. */
export type NoteUse = (key: StoredKey, now: Date) => void;

/**
 * Makes the function that notes the last use of a key, at most once a minute, other processes counted in. Nobody waits
 * for it. Keys that are used in one turn of the event loop, or while a statement is under way, share the next one: alone,
 * each would take 0.7 to 5 ms of this process every minute. `onFailed` is told where one fails.
 */
export function createUseNotes(database: Database, onFailed: (error: unknown) => void): NoteUse {
  const used = new Map<string, Date>();
  let isWriting = false;
  const write = async () => {
    isWriting = true;
    while (used.size > 0) {
      await nextTurn();
      const ids = [...used.keys()];
      const times = [...used.values()].map((time) => time.toISOString());
      used.clear();
      // Those that another process is at now are left to it: two that wait for each other's keys would wait for ever.
      await database
        .transaction((sql) =>
          sql.execute(
            `UPDATE api_keys SET last_used_at = due.time
             FROM (
               SELECT id, used.time FROM api_keys JOIN unnest($1::uuid[], $2::timestamptz[]) AS used (id, time) USING (id)
               WHERE last_used_at IS NULL OR last_used_at <= used.time - $3 * interval '1 millisecond'
               FOR NO KEY UPDATE OF api_keys SKIP LOCKED
             ) AS due
             WHERE api_keys.id = due.id`,
            [ids, times, LAST_USE_INTERVAL_MS],
          ),
        )
        .catch(onFailed);
    }
    isWriting = false;
  };
  return (key, now) => {
    if (key.lastUsedAt !== null && now.getTime() - key.lastUsedAt.getTime() < LAST_USE_INTERVAL_MS) return;
    key.lastUsedAt = now;
    used.set(key.id, now);
    if (!isWriting) void write();
  };
}

/** Keys that can still be used and have the same pepper. */
export interface PepperGroup {
  /** Its fingerprint; null where it was not noted. */
  readonly pepper: string | null;
  readonly count: number;
  /** The oldest twenty. */
  readonly ids: readonly string[];
}

/** The keys that can still be used and were not made with this pepper, by the one that they were made with. */
export function listKeysOfOtherPeppers(
  database: Database,
  fingerprint: string,
  now: Date,
): Promise<PepperGroup[]> {
  return database.select<PepperGroup>(
    `SELECT pepper, count(*)::integer AS count, (array_agg(id::text ORDER BY created_at, id))[1:20] AS ids
     FROM api_keys
     WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1) AND pepper IS DISTINCT FROM $2
     GROUP BY pepper ORDER BY pepper`,
    [now, fingerprint],
  );
}

export interface NewKey {
  readonly organizationId: string;
  readonly name: string;
  readonly hash: string;
  /** Fingerprint of the pepper that the hash was made with. */
  readonly pepper: string;
  readonly display: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

export function insertKey(database: Database, key: NewKey, now: Date, command: CommandName): Promise<ApiKey> {
  return recordAs(database, command, (tx) =>
    tx.apiKey.create({ data: { ...key, scopes: [...key.scopes], createdAt: now } }),
  );
}

export function findKey({ prisma }: Database, id: string) {
  return prisma.apiKey.findUnique({ where: { id }, include: { organization: true } });
}

/** Keys of an organization, oldest first. */
export function listKeys({ prisma }: Database, organizationId: string): Promise<ApiKey[]> {
  return prisma.apiKey.findMany({
    where: { organizationId },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
}

/** Revokes a key from `at` on; a key that is revoked already keeps its time. */
export async function revokeKey(database: Database, id: string, at: Date): Promise<void> {
  await recordAs(database, "keys revoke", (tx) =>
    tx.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: at } }),
  );
}

/** Puts `replacement` in the place of a key, which ends so: both or neither. Null where the key was changed meanwhile. */
export function replaceKey(
  database: Database,
  { id, expiresAt }: Pick<ApiKey, "id" | "expiresAt">,
  ending: { revokedAt: Date } | { expiresAt: Date },
  replacement: NewKey,
  now: Date,
): Promise<ApiKey | null> {
  const newId = randomUUID();
  return recordAs(database, "keys rotate", async (tx) => {
    await recordRotation(tx, id, newId);
    const { count } = await tx.apiKey.updateMany({ where: { id, expiresAt, revokedAt: null }, data: ending });
    if (count === 0) return null;
    const scopes = [...replacement.scopes];
    return tx.apiKey.create({ data: { ...replacement, id: newId, scopes, createdAt: now } });
  });
}

export interface KeyChanges {
  readonly name?: string;
  readonly tier?: Tier;
  readonly scopes?: readonly Scope[];
}

export function updateKey(database: Database, id: string, { scopes, ...changes }: KeyChanges) {
  return recordAs(database, "keys update", (tx) =>
    tx.apiKey.update({
      where: { id },
      data: { ...changes, ...(scopes && { scopes: [...scopes] }) },
      include: { organization: true },
    }),
  );
}
