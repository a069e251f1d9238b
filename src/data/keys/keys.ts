import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Scope } from "../../domain/scopes.js";
import type { Tier } from "../../domain/tiers.js";
import { sizeOfText } from "../cache/entries.js";
import { type Writer, write } from "../database/transaction.js";
import type { Database, SqlSession } from "../database/types.js";
import { recordRotation } from "./key-events.js";

/** A key and its organization, as authentication needs them. */
export interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  lastUsedAt: Date | null;
  readonly organization: { readonly id: string; readonly slug: string; readonly name: string };
}

/** Size of a stored key in bytes. */
export function sizeOfKey({ name, scopes, organization }: StoredKey): number {
  const texts = [name, ...scopes, organization.slug, organization.name];
  return texts.reduce((size, text) => size + sizeOfText(text), KEY_SIZE);
}

/** Approximate size of what all keys have: objects, ids and dates. */
const KEY_SIZE = 600;

/** The tables from which a stored key is read. */
export const KEY_TABLES: ReadonlySet<string> = new Set(["api_keys", "organizations"]);

/** SQL for a time that a JavaScript Date can hold. Rows older than the checks may have infinity, which becomes the year 1000 or 9999. */
const legible = (column: string) =>
  `CASE WHEN ${column} < '1000-01-01 00:00:00Z' THEN '1000-01-01 00:00:00Z'::timestamptz
     WHEN ${column} > '9999-12-31 00:00:00Z' THEN '9999-12-31 00:00:00Z'::timestamptz ELSE ${column} END`;

/** SQL for the last use; null if it is a time at which no key can have been used. */
const LAST_USE =
  "CASE WHEN last_used_at BETWEEN '1000-01-01 00:00:00Z' AND '9999-12-31 00:00:00Z' THEN last_used_at END";

/** SQL for the times of a key. */
const TIMES = `${legible("expires_at")} AS "expiresAt", ${legible("revoked_at")} AS "revokedAt", ${LAST_USE} AS "lastUsedAt"`;

/** Finds a key with its organization by its possible hashes, in their order of preference; in one statement. */
export async function findKeyByHash(
  database: Database,
  hashes: readonly string[],
): Promise<StoredKey | null> {
  const [key] = await database.select<StoredKey>(
    `SELECT k.id, k.name, k.tier::text AS tier, k.scopes, ${TIMES}, jsonb_build_object('id', o.id, 'slug', o.slug, 'name', o.name) AS organization
     FROM api_keys k JOIN organizations o ON o.id = k.organization_id
     WHERE k.hash = ANY($1::text[]) ORDER BY array_position($1, k.hash) LIMIT 1`,
    [hashes],
  );
  return key ?? null;
}

const LAST_USE_INTERVAL_MS = 60_000;

/** Records that a key was used, in the background. */
export type NoteUse = (key: StoredKey, now: Date) => void;

/**
 * Makes the function that records the last use of keys in the background, at most once a minute per key across all
 * processes. Keys used in the same turn of the event loop, or while a statement runs, share the next statement: one each
 * would take 0.7 to 5 ms of this process per key and minute. If the database rejects the statement, each key is tried
 * alone, so that a bad row does not affect other keys. `onFailed` is called with failures.
 */
export function createUseNotes(database: Database, onFailed: (error: unknown) => void): NoteUse {
  const used = new Map<string, Date>();
  let isWriting = false;
  const write = async () => {
    isWriting = true;
    while (used.size > 0) {
      await nextTurn();
      const uses = [...used];
      used.clear();
      await writeUses(database, uses).catch(async (error: unknown) => {
        if (uses.length === 1 || !isRefused(error)) return onFailed(error);
        for (const use of uses) await writeUses(database, [use]).catch(onFailed);
      });
    }
    isWriting = false;
  };
  return (key, now) => {
    // A last use in the future comes from another clock, or is wrong.
    if (key.lastUsedAt !== null && Math.abs(now.getTime() - key.lastUsedAt.getTime()) < LAST_USE_INTERVAL_MS)
      return;
    key.lastUsedAt = now;
    used.set(key.id, now);
    if (!isWriting) void write();
  };
}

function writeUses(
  database: Database,
  uses: readonly (readonly [id: string, time: Date])[],
): Promise<number> {
  // Keys that another process is updating are skipped, as two that wait for each other's rows would deadlock.
  return write(database, "serve", (sql) =>
    sql.execute(
      `UPDATE api_keys SET last_used_at = due.time
       FROM (
         SELECT id, used.time FROM api_keys JOIN unnest($1::uuid[], $2::timestamptz[]) AS used (id, time) USING (id)
         WHERE last_used_at IS NULL OR last_used_at <= used.time - $3 * interval '1 millisecond'
           OR last_used_at > used.time + interval '1 day'
         FOR NO KEY UPDATE OF api_keys SKIP LOCKED
       ) AS due
       WHERE api_keys.id = due.id`,
      [uses.map(([id]) => id), uses.map(([, time]) => time.toISOString()), LAST_USE_INTERVAL_MS],
    ),
  );
}

/** Whether PostgreSQL rejected a row because of a constraint. */
function isRefused(error: unknown): boolean {
  return /^23/.test(String((error as { code?: unknown }).code));
}

/** Usable keys whose hashes were made with the same pepper. */
export interface PepperGroup {
  /** Its fingerprint; null if it was not recorded. */
  readonly pepper: string | null;
  readonly count: number;
  /** The ids of the oldest twenty. */
  readonly ids: readonly string[];
}

/** The usable keys that were hashed with another pepper than this one, by pepper. */
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
  /** Fingerprint of the pepper with which the hash was made. */
  readonly pepper: string;
  readonly display: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/** A key that was just added. */
export interface AddedKey extends NewKey {
  readonly id: string;
}

async function addKey(sql: SqlSession, key: NewKey, id: string, now: Date): Promise<AddedKey> {
  const { organizationId, name, hash, pepper, display, tier, scopes, expiresAt } = key;
  await sql.execute(
    `INSERT INTO api_keys (id, organization_id, name, hash, pepper, display, tier, scopes, expires_at, created_at)
     VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6, $7::tier, $8::text[], $9::timestamptz, $10::timestamptz)`,
    [
      ...[id, organizationId, name, hash, pepper, display, tier, scopes],
      ...[expiresAt?.toISOString() ?? null, now.toISOString()],
    ],
  );
  return { id, ...key };
}

/** Adds a key. */
export function insertKey(database: Database, key: NewKey, now: Date, writer: Writer): Promise<AddedKey> {
  return write(database, writer, (sql) => addKey(sql, key, randomUUID(), now));
}

/** A key as commands show it. */
export interface KeyRow extends StoredKey {
  readonly display: string;
  readonly createdAt: Date;
}

const KEY_ROW = `SELECT k.id, k.name, k.display, k.tier::text AS tier, k.scopes, ${TIMES},
  ${legible("k.created_at")} AS "createdAt", jsonb_build_object('id', o.id, 'slug', o.slug, 'name', o.name) AS organization
  FROM api_keys k JOIN organizations o ON o.id = k.organization_id`;

/** The key with this id, or null. */
export async function findKey(database: Database, id: string): Promise<KeyRow | null> {
  const [key] = await database.select<KeyRow>(`${KEY_ROW} WHERE k.id = $1::uuid`, [id]);
  return key ?? null;
}

/** Keys of an organization, or of all organizations by slug, oldest first. */
export function listKeys(database: Database, organizationId: string | undefined): Promise<KeyRow[]> {
  return database.select<KeyRow>(
    `${KEY_ROW} WHERE $1::uuid IS NULL OR k.organization_id = $1::uuid ORDER BY o.slug, k.created_at, k.id`,
    [organizationId ?? null],
  );
}

/** Revokes a key from `at` on; a revoked key keeps its time. Corrects times of older rows that the checks would refuse. */
export async function revokeKey(database: Database, id: string, at: Date): Promise<void> {
  await write(database, "keys revoke", (sql) =>
    sql.execute(
      `UPDATE api_keys SET revoked_at = $2::timestamptz, created_at = ${legible("created_at")},
         expires_at = ${legible("expires_at")}, last_used_at = ${LAST_USE}
       WHERE id = $1::uuid AND revoked_at IS NULL`,
      [id, at.toISOString()],
    ),
  );
}

/** Adds `replacement` and ends the key that it replaces, or does neither. Null if the key was changed meanwhile. */
export function replaceKey(
  database: Database,
  { id, expiresAt }: Pick<KeyRow, "id" | "expiresAt">,
  ending: { revokedAt: Date } | { expiresAt: Date },
  replacement: NewKey,
  now: Date,
): Promise<AddedKey | null> {
  return write(database, "keys rotate", async (sql) => {
    const [current] = await sql.query<{ isSame: boolean }>(
      `SELECT revoked_at IS NULL AND ${legible("expires_at")} IS NOT DISTINCT FROM $2::timestamptz AS "isSame"
       FROM api_keys WHERE id = $1::uuid FOR UPDATE`,
      [id, expiresAt?.toISOString() ?? null],
    );
    if (!current?.isSame) return null;
    // The trail accepts a rotation only once it has seen the new key.
    const newId = randomUUID();
    await recordRotation(sql, id, newId);
    const added = await addKey(sql, replacement, newId, now);
    const [column, end] =
      "revokedAt" in ending ? ["revoked_at", ending.revokedAt] : ["expires_at", ending.expiresAt];
    await sql.execute(`UPDATE api_keys SET ${column} = $2::timestamptz WHERE id = $1::uuid`, [
      id,
      end.toISOString(),
    ]);
    return added;
  });
}

export interface KeyChanges {
  readonly name?: string;
  readonly tier?: Tier;
  readonly scopes?: readonly Scope[];
  /** Null for a key that never expires. */
  readonly expiresAt?: Date | null;
}

/** Changes the properties of a key that are given. */
export async function updateKey(
  database: Database,
  id: string,
  { name, tier, scopes, expiresAt }: KeyChanges,
): Promise<void> {
  await write(database, "keys update", (sql) =>
    sql.execute(
      `UPDATE api_keys SET name = coalesce($2, name), tier = coalesce($3::tier, tier),
         scopes = coalesce($4::text[], scopes),
         expires_at = CASE WHEN $5::boolean THEN $6::timestamptz ELSE expires_at END
       WHERE id = $1::uuid`,
      [
        ...[id, name ?? null, tier ?? null, scopes ?? null],
        ...[expiresAt !== undefined, expiresAt?.toISOString() ?? null],
      ],
    ),
  );
}
