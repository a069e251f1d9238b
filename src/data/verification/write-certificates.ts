import type { CertifiedVerifier } from "../../domain/verification/statement.js";
import type { Opinion } from "../../domain/verification/states.js";
import type { SqlSession } from "../database/types.js";

/**
 * Returns the next certificate number of a year; inserting the certificate advances it. So that no number is skipped,
 * decisions of all organizations wait until this transaction ends. Before taking that lock, it locks its organization's
 * audit trail, for which it would otherwise wait at COMMIT.
 */
export async function takeCertificateCounter(sql: SqlSession, year: number): Promise<number> {
  await sql.script("SET CONSTRAINTS ALL IMMEDIATE");
  await sql.query("SELECT pg_advisory_xact_lock(72707371, $1::int)", [year]);
  const [row] = await sql.query<{ next: number }>(
    "SELECT coalesce(max(last), 0) + 1 AS next FROM certificate_numbers WHERE year = $1::int",
    [year],
  );
  if (!row) throw new Error("the database returned no row");
  return row.next;
}

/** Records the key that signs from now on, unless it exists. The database sets the times and ends the previous key. */
export async function recordSigningKey(
  sql: SqlSession,
  { kid, publicKey }: { readonly kid: string; readonly publicKey: string },
): Promise<void> {
  await sql.execute(
    "INSERT INTO signing_keys (kid, public_key) VALUES ($1, $2) ON CONFLICT (kid) DO NOTHING",
    [kid, publicKey],
  );
}

/** Finds the names of a user and their organization; undefined if the user is no longer a member. */
export async function findCertifiedVerifier(
  sql: SqlSession,
  userId: string,
  organizationId: string,
): Promise<CertifiedVerifier | undefined> {
  const [verifier] = await sql.query<CertifiedVerifier>(
    `SELECT u.name, o.name AS organization FROM memberships AS m
     JOIN users AS u ON u.id = m.user_id JOIN organizations AS o ON o.id = m.organization_id
     WHERE m.user_id = $1::uuid AND m.organization_id = $2::uuid`,
    [userId, organizationId],
  );
  return verifier;
}

export interface NewCertificate {
  readonly number: string;
  readonly requestId: string;
  readonly opinion: Opinion;
  readonly statement: string;
  readonly digest: string;
  readonly signature: string;
  readonly keyId: string;
}

/** Adds a certificate. Superseded certificates of the same period and scopes then refer to it. */
export async function insertCertificate(
  sql: SqlSession,
  organizationId: string,
  { number, requestId, opinion, statement, digest, signature, keyId }: NewCertificate,
  now: Date,
): Promise<void> {
  await sql.execute(
    `INSERT INTO certificates (organization_id, number, request_id, opinion, statement, digest, signature, kid, issued_at)
     VALUES ($1::uuid, $2, $3::uuid, $4::verification_opinion, $5, $6, $7, $8, $9::timestamptz)`,
    [organizationId, number, requestId, opinion, statement, digest, signature, keyId, now.toISOString()],
  );
  await sql.execute(
    `UPDATE certificates AS c SET superseded_by = $2 FROM verification_requests AS r, verification_requests AS own
     WHERE own.organization_id = $1::uuid AND own.id = $3::uuid AND c.organization_id = $1::uuid AND c.status = 'superseded'
       AND c.superseded_by IS NULL AND r.organization_id = c.organization_id AND r.id = c.request_id
       AND (r.period_from, r.period_to, r.scopes) = (own.period_from, own.period_to, own.scopes)`,
    [organizationId, number, requestId],
  );
}

/** Supersedes the valid certificate of a request. */
export async function supersedeCertificates(
  sql: SqlSession,
  organizationId: string,
  requestId: string,
): Promise<void> {
  await sql.execute(
    "UPDATE certificates SET status = 'superseded' WHERE organization_id = $1::uuid AND request_id = $2::uuid AND status = 'valid'",
    [organizationId, requestId],
  );
}
