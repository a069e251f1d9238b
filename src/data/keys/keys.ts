import type { Scope } from "../../domain/scopes.js";
import { sizeOfText } from "../../domain/texts/size-in-memory.js";
import type { Tier } from "../../domain/tiers.js";
import type { Database } from "../database/types.js";
import { ORGANIZATION_JSON, type OrganizationRow } from "../organizations/organizations.js";

/** A key with its organization, as needed for authentication. */
export interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  lastUsedAt: Date | null;
  readonly organization: OrganizationRow;
}

/** Estimates how much memory a stored key takes, in bytes. */
export function sizeOfKey({ name, scopes, organization }: StoredKey): number {
  const texts = [name, ...scopes, organization.slug, organization.name];
  return texts.reduce((size, text) => size + sizeOfText(text), KEY_SIZE);
}

/** Approximate size in bytes of the parts that every key has: objects, ids and dates. */
const KEY_SIZE = 600;

/** The tables that a stored key is read from. */
export const KEY_TABLES: ReadonlySet<string> = new Set(["api_keys", "organizations"]);

/**
 * Returns SQL that clamps a time to the years 1000 to 9999, which a JavaScript Date can hold. Rows older than the
 * check constraints may contain infinity.
 */
export const clampedTime = (column: string) =>
  `CASE WHEN ${column} < '1000-01-01 00:00:00Z' THEN '1000-01-01 00:00:00Z'::timestamptz
     WHEN ${column} > '9999-12-31 00:00:00Z' THEN '9999-12-31 00:00:00Z'::timestamptz ELSE ${column} END`;

/** SQL for the last use; null if the stored time is impossible. */
export const LAST_USE =
  "CASE WHEN last_used_at BETWEEN '1000-01-01 00:00:00Z' AND '9999-12-31 00:00:00Z' THEN last_used_at END";

/** The columns of a key's times. */
export const KEY_TIMES = `${clampedTime("expires_at")} AS "expiresAt", ${clampedTime("revoked_at")} AS "revokedAt", ${LAST_USE} AS "lastUsedAt"`;

/** Finds a key by its possible hashes. If several match, the earliest in `hashes` wins. */
export async function findKeyByHash(
  { select }: Pick<Database, "select">,
  hashes: readonly string[],
): Promise<StoredKey | null> {
  const [key] = await select<StoredKey>(
    `SELECT k.id, k.name, k.tier::text AS tier, k.scopes, ${KEY_TIMES}, ${ORGANIZATION_JSON} AS organization
     FROM api_keys k JOIN organizations o ON o.id = k.organization_id
     WHERE k.hash = ANY($1::text[]) ORDER BY array_position($1, k.hash) LIMIT 1`,
    [hashes],
  );
  return key ?? null;
}

/** Usable keys, or tokens of service accounts, that were hashed with the same pepper. */
export interface PepperGroup {
  readonly kind: "key" | "token";
  /** Latest end of those that a rotation has replaced; null for those that nothing has. */
  readonly replacedUntil: Date | null;
  /** Fingerprint of the pepper; null if it was not recorded. */
  readonly pepper: string | null;
  readonly count: number;
  /** Ids of the twenty oldest keys, or of the service accounts of the twenty oldest tokens. */
  readonly ids: readonly string[];
}

/** Groups the usable keys and tokens with other peppers by kind, pepper, and whether a rotation has replaced them. */
export function listKeysOfOtherPeppers(
  database: Database,
  fingerprint: string,
  now: Date,
): Promise<PepperGroup[]> {
  return database.select<PepperGroup>(
    `SELECT kind, pepper, CASE WHEN "isReplaced" THEN max(expires_at) END AS "replacedUntil", count(*)::integer AS count,
       (array_agg(id::text ORDER BY created_at, id))[1:20] AS ids
     FROM (
       SELECT 'key' AS kind, id, pepper, created_at, expires_at, revoked_at,
         ${replacedBy("api_keys.id")} IS NOT NULL AS "isReplaced" FROM api_keys
       UNION ALL
       SELECT 'token', a.id, t.pepper, t.created_at, t.expires_at, coalesce(t.revoked_at, a.revoked_at),
         t.expires_at IS NOT NULL AND EXISTS (SELECT FROM service_account_tokens AS n
           WHERE n.service_account_id = a.id AND n.created_at > t.created_at AND n.revoked_at IS NULL)
       FROM service_account_tokens AS t JOIN service_accounts AS a ON a.id = t.service_account_id
     ) AS hashed
     WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1) AND pepper IS DISTINCT FROM $2
     GROUP BY kind, pepper, "isReplaced" ORDER BY kind, pepper, "isReplaced"`,
    [now, fingerprint],
  );
}

/** A key, as printed by commands. */
export interface KeyRow extends StoredKey {
  readonly display: string;
  readonly createdAt: Date;
  readonly version: number;
  /** Id of the key that replaced it in a rotation. */
  readonly replacedBy: string | null;
}

/** Returns SQL for the id of the key that replaced this one in a rotation. */
export const replacedBy = (id: string) => `(SELECT e.new ->> 'replaced_by' FROM key_events AS e
  WHERE e.key_id = ${id} AND e.kind = 'rotated' AND e.new ->> 'replaced_by' IS NOT NULL ORDER BY e.id DESC LIMIT 1)`;

const KEY_ROW = `SELECT k.id, k.name, k.display, k.tier::text AS tier, k.scopes, ${KEY_TIMES},
  k.version, ${replacedBy("k.id")} AS "replacedBy",
  ${clampedTime("k.created_at")} AS "createdAt", ${ORGANIZATION_JSON} AS organization
  FROM api_keys k JOIN organizations o ON o.id = k.organization_id`;

export async function findKey({ select }: Pick<Database, "select">, id: string): Promise<KeyRow | null> {
  const [key] = await select<KeyRow>(`${KEY_ROW} WHERE k.id = $1::uuid`, [id]);
  return key ?? null;
}

/** Lists the keys of an organization, or of all organizations by slug, oldest first. */
export function listKeys(database: Database, organizationId: string | undefined): Promise<KeyRow[]> {
  return database.select<KeyRow>(
    `${KEY_ROW} WHERE $1::uuid IS NULL OR k.organization_id = $1::uuid ORDER BY o.slug, k.created_at, k.id`,
    [organizationId ?? null],
  );
}
