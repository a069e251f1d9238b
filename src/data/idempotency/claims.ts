import { hash } from "node:crypto";
import { KEY_HOURS } from "../../domain/idempotency-key.js";
import { type ActorRequest, write } from "../database/transaction.js";
import type { Database, SqlSession } from "../database/types.js";

/** A caller's idempotency key. */
export interface ClaimedKey {
  readonly organizationId: string;
  /** `user:` or `service_account:` and the id. */
  readonly caller: string;
  /** SHA-256 of the key. */
  readonly keyHash: Buffer;
}

/** A stored response. */
export interface StoredResponse {
  readonly status: number;
  /** Path of the created resource, or of the request. */
  readonly location: string | null;
  readonly etag: string | null;
  readonly contentType: string;
  /** Null for a response that cannot be replayed. */
  readonly body: Buffer | null;
}

/** A committed claim. Until the response is stored, all of its parts but the location are null. */
export interface ClaimRow extends Omit<StoredResponse, "status" | "contentType"> {
  /** SHA-256 of the request. */
  readonly fingerprint: Buffer;
  readonly status: number | null;
  readonly contentType: string | null;
  /** True if the claim is so recent that its request may still store the response. */
  readonly isRecent: boolean;
}

/** Returns the key of the advisory lock that a request holds from its claim to the end of its transaction. */
function lockOf({ organizationId, caller, keyHash }: ClaimedKey): string {
  const digest = hash("sha256", `${organizationId} ${caller} ${keyHash.toString("hex")}`, "buffer");
  return digest.readBigInt64BE().toString();
}

const IS_KEY = "organization_id = $1::uuid AND caller = $2 AND key_hash = $3";
/**
 * Seconds from a claim to its stored response: at most 10 for the change, 2.5 for the response, and 2.5 to store it.
 */
const RESPONSE_SECONDS = 15;
const EXPIRED = `created_at <= now() - interval '${KEY_HOURS} hours'`;
const parametersOf = ({ organizationId, caller, keyHash }: ClaimedKey) => [organizationId, caller, keyHash];

/** Claims a key in the change's transaction. Returns false if another request has claimed it. */
export async function insertClaim(
  sql: SqlSession,
  key: ClaimedKey,
  { fingerprint, location }: Pick<ClaimRow, "fingerprint" | "location">,
): Promise<boolean> {
  const inserted = await sql.execute(
    `INSERT INTO idempotency_keys AS k (organization_id, caller, key_hash, fingerprint, location)
     SELECT $1::uuid, $2::text, $3::bytea, $4::bytea, $5::text WHERE pg_try_advisory_xact_lock($6::bigint)
     ON CONFLICT (organization_id, caller, key_hash) DO UPDATE SET fingerprint = EXCLUDED.fingerprint,
       location = EXCLUDED.location, status = NULL, etag = NULL, content_type = NULL, body = NULL, created_at = now()
     WHERE k.${EXPIRED}`,
    [...parametersOf(key), fingerprint, location, lockOf(key)],
  );
  return inserted === 1;
}

/** Sets the time of a claim to now. */
export async function renewClaim(sql: SqlSession, key: ClaimedKey): Promise<void> {
  const renew = `UPDATE idempotency_keys SET created_at = clock_timestamp() WHERE ${IS_KEY}`;
  await sql.execute(renew, parametersOf(key));
}

/** Finds the unexpired claim of a key; null if none exists. Waits at most `msLeft` for a connection. */
export async function findClaim(
  database: Database,
  key: ClaimedKey,
  msLeft: number,
): Promise<ClaimRow | null> {
  const [row] = await database.select<ClaimRow>(
    `SELECT fingerprint, status, location, etag, content_type AS "contentType", body,
       created_at > now() - interval '${RESPONSE_SECONDS} seconds' AS "isRecent"
     FROM idempotency_keys
     WHERE ${IS_KEY} AND NOT ${EXPIRED}`,
    parametersOf(key),
    { ownerId: key.organizationId, msLeft },
  );
  return row ?? null;
}

/** Returns true if no running transaction claims the key. */
export async function isUnclaimed(database: Database, key: ClaimedKey, msLeft: number): Promise<boolean> {
  const [row] = await database.select<{ isFree: boolean }>(
    `SELECT pg_try_advisory_xact_lock_shared($1::bigint) AS "isFree"`,
    [lockOf(key)],
    { ownerId: key.organizationId, msLeft },
  );
  return row?.isFree === true;
}

/** Stores the response of the request that claimed a key. */
export async function storeResponse(
  database: Database,
  writer: ActorRequest,
  key: ClaimedKey,
  { status, location, etag, contentType, body }: StoredResponse,
): Promise<void> {
  await write(
    database,
    writer,
    (sql) =>
      sql.execute(
        `UPDATE idempotency_keys SET status = $4, location = coalesce($5, location), etag = $6, content_type = $7, body = $8
         WHERE ${IS_KEY}`,
        [...parametersOf(key), status, location, etag, contentType, body],
      ),
    undefined,
    { isFollowUp: true },
  );
}
