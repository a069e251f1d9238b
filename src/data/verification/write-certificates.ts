import type { Opinion } from "../../domain/verification/states.js";
import type { SqlSession } from "../database/types.js";

/** The number of a year's next certificate. Other decisions wait for it until the transaction ends, so that none is left out. */
export async function takeCertificateNumber(sql: SqlSession, year: number): Promise<string> {
  const [row] = await sql.query<{ last: number }>(
    `INSERT INTO certificate_numbers (year, last) VALUES ($1::int, 1)
     ON CONFLICT (year) DO UPDATE SET last = certificate_numbers.last + 1 RETURNING last`,
    [year],
  );
  return `CGW-${year}-${String(row?.last).padStart(6, "0")}`;
}

/** Notes that a key signs now, and that the one before it no longer does. */
export async function noteSigningKey(
  sql: SqlSession,
  { kid, publicKey }: { readonly kid: string; readonly publicKey: string },
  now: Date,
): Promise<void> {
  await sql.execute(
    `INSERT INTO signing_keys (kid, public_key, used_from) VALUES ($1, $2, $3::timestamptz)
     ON CONFLICT (kid) DO UPDATE SET used_until = NULL WHERE signing_keys.used_until IS NOT NULL`,
    [kid, publicKey, now.toISOString()],
  );
  await sql.execute(
    "UPDATE signing_keys SET used_until = $2::timestamptz WHERE kid <> $1 AND used_until IS NULL",
    [kid, now.toISOString()],
  );
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

/** Adds a certificate, which takes the place of superseded ones of the same period and scopes. */
export async function insertCertificate(
  sql: SqlSession,
  organizationId: string,
  { number, requestId, opinion, statement, digest, signature, keyId }: NewCertificate,
  now: Date,
): Promise<void> {
  await sql.execute(
    `INSERT INTO certificates (organization_id, number, request_id, opinion, statement, digest, signature, kid, issued_at)
     VALUES ($1::uuid, $2, $3::uuid, $4::verification_opinion, $5, $6, $7, $8, $9::timestamptz)`,
    [...[organizationId, number, requestId, opinion, statement, digest, signature, keyId], now.toISOString()],
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
