import type { Database, SqlSession } from "../database/types.js";
import { IS_ACCEPTABLE } from "./requests.js";

/** The link with which a verifier accepts a request, as it is stored. */
export interface VerifierLink {
  /** Hash of its token. */
  readonly hash: string;
  readonly expiresAt: Date;
}

/** Replaces the link of a locked request. */
export async function setVerifierLink(
  sql: SqlSession,
  organizationId: string,
  requestId: string,
  { hash, expiresAt }: VerifierLink,
): Promise<void> {
  await sql.execute(
    `UPDATE verification_requests SET verifier_link_hash = $3, verifier_link_expires_at = $4::timestamptz
     WHERE organization_id = $1::uuid AND id = $2::uuid`,
    [organizationId, requestId, hash, expiresAt.toISOString()],
  );
}

/** A request that can be accepted with its link. */
export interface AcceptableRequest {
  readonly requestId: string;
  readonly organizationId: string;
  readonly organizationName: string;
}

const IS_OPEN = `${IS_ACCEPTABLE} AND r.verifier_link_expires_at > $2::timestamptz`;

/** Finds a request by the possible hashes of its link's token; null if the link is invalid, or is no longer valid. */
export async function findRequestOfLink(
  database: Database,
  hashes: readonly string[],
  now: Date,
): Promise<AcceptableRequest | null> {
  const [found] = await database.select<AcceptableRequest>(
    `SELECT r.id AS "requestId", r.organization_id AS "organizationId", o.name AS "organizationName"
     FROM verification_requests AS r JOIN organizations AS o ON o.id = r.organization_id
     WHERE r.verifier_link_hash = ANY ($1::text[]) AND ${IS_OPEN}`,
    [[...hashes], now.toISOString()],
  );
  return found ?? null;
}

/**
 * Assigns a request to a user, which uses up its link. Returns false, and writes nothing, if the link is no longer
 * valid. Throws VALIDATION_FAILED if the user is or was a member of the organization.
 */
export async function bindVerifier(
  sql: SqlSession,
  { requestId, organizationId }: AcceptableRequest,
  hashes: readonly string[],
  verifier: { readonly userId: string; readonly organizationId: string },
  now: Date,
): Promise<boolean> {
  const bound = await sql.execute(
    `UPDATE verification_requests AS r SET verifier_id = $5::uuid, verifier_organization_id = $6::uuid,
       verifier_accepted_at = $2::timestamptz, verifier_link_hash = NULL, verifier_link_expires_at = NULL
     WHERE r.organization_id = $3::uuid AND r.id = $4::uuid AND r.verifier_link_hash = ANY ($1::text[]) AND ${IS_OPEN}`,
    [[...hashes], now.toISOString(), organizationId, requestId, verifier.userId, verifier.organizationId],
  );
  return bound > 0;
}

/** Confirms the verifier of a locked request, who can then read its records, review it and decide. */
export async function confirmVerifier(
  sql: SqlSession,
  organizationId: string,
  requestId: string,
  now: Date,
): Promise<void> {
  await sql.execute(
    `UPDATE verification_requests SET verifier_confirmed_at = $3::timestamptz
     WHERE organization_id = $1::uuid AND id = $2::uuid`,
    [organizationId, requestId, now.toISOString()],
  );
}

/** Removes the verifier from a locked request. */
export async function removeVerifier(
  sql: SqlSession,
  organizationId: string,
  requestId: string,
): Promise<void> {
  await sql.execute(
    `UPDATE verification_requests SET verifier_id = NULL, verifier_organization_id = NULL, verifier_accepted_at = NULL
     WHERE organization_id = $1::uuid AND id = $2::uuid`,
    [organizationId, requestId],
  );
}
