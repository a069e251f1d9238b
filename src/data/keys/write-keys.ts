import { randomUUID } from "node:crypto";
import type { Scope } from "../../domain/scopes.js";
import type { Tier } from "../../domain/tiers.js";
import type { SqlSession } from "../database/types.js";
import { recordRotation } from "./key-events.js";
import { clampedTime, LAST_USE } from "./keys.js";

export interface NewKey {
  readonly organizationId: string;
  readonly name: string;
  readonly hash: string;
  /** Fingerprint of the hash's pepper. */
  readonly pepper: string;
  readonly display: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  /** Id of the user or service account; null for a command. */
  readonly createdBy: string | null;
}

export interface AddedKey extends NewKey {
  readonly id: string;
}

export async function insertKey(sql: SqlSession, key: NewKey, id: string = randomUUID()): Promise<AddedKey> {
  const { organizationId, name, hash, pepper, display, tier, scopes, expiresAt, createdAt, createdBy } = key;
  await sql.execute(
    `INSERT INTO api_keys (id, organization_id, name, hash, pepper, display, tier, scopes, expires_at, created_at, created_by)
     VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6, $7::tier, $8::text[], $9::timestamptz, $10::timestamptz, $11::uuid)`,
    [
      id,
      organizationId,
      name,
      hash,
      pepper,
      display,
      tier,
      scopes,
      expiresAt?.toISOString() ?? null,
      createdAt.toISOString(),
      createdBy,
    ],
  );
  return { id, ...key };
}

/**
 * Revokes a key from `at` on. If it is already revoked, changes nothing. With `corrects`, also corrects times that
 * violate a newer check constraint, which would reject the update; only the owner of the table may do that.
 */
export async function revokeKey(sql: SqlSession, id: string, at: Date, corrects: boolean): Promise<void> {
  const corrections = corrects
    ? `, created_at = ${clampedTime("created_at")}, expires_at = ${clampedTime("expires_at")}, last_used_at = ${LAST_USE}`
    : "";
  await sql.execute(
    `UPDATE api_keys SET revoked_at = $2::timestamptz, version = version + 1${corrections}
     WHERE id = $1::uuid AND revoked_at IS NULL`,
    [id, at.toISOString()],
  );
}

/** Adds `replacement`, and revokes the old key or lets it expire. */
export async function replaceKey(
  sql: SqlSession,
  id: string,
  ending: { revokedAt: Date } | { expiresAt: Date },
  replacement: NewKey,
): Promise<AddedKey> {
  // The trail only accepts a rotation after it has recorded the new key.
  const newId = randomUUID();
  await recordRotation(sql, id, newId);
  const added = await insertKey(sql, replacement, newId);
  const [column, end] =
    "revokedAt" in ending ? ["revoked_at", ending.revokedAt] : ["expires_at", ending.expiresAt];
  await sql.execute(
    `UPDATE api_keys SET ${column} = $2::timestamptz, version = version + 1 WHERE id = $1::uuid`,
    [id, end.toISOString()],
  );
  return added;
}

export interface KeyChanges {
  readonly name?: string;
  readonly tier?: Tier;
  readonly scopes?: readonly Scope[];
  /** Null for a key that never expires. */
  readonly expiresAt?: Date | null;
}

/** Changes a key. Omitted properties are unchanged. */
export async function updateKey(
  sql: SqlSession,
  id: string,
  { name, tier, scopes, expiresAt }: KeyChanges,
): Promise<void> {
  await sql.execute(
    `UPDATE api_keys SET name = coalesce($2, name), tier = coalesce($3::tier, tier),
       scopes = coalesce($4::text[], scopes),
       expires_at = CASE WHEN $5::boolean THEN $6::timestamptz ELSE expires_at END, version = version + 1
     WHERE id = $1::uuid`,
    [
      id,
      name ?? null,
      tier ?? null,
      scopes ?? null,
      expiresAt !== undefined,
      expiresAt?.toISOString() ?? null,
    ],
  );
}
