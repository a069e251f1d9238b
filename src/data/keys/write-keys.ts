import { randomUUID } from "node:crypto";
import type { Scope } from "../../domain/scopes.js";
import type { Tier } from "../../domain/tiers.js";
import { type Writer, write } from "../database/transaction.js";
import type { Database, SqlSession } from "../database/types.js";
import { recordRotation } from "./key-events.js";
import { type KeyRow, LAST_USE, legible } from "./keys.js";

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
  return write(
    database,
    "keys rotate",
    async (sql) => {
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
    },
    "api_key.rotated",
  );
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
