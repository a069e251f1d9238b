import { isCertificateNumber } from "../../domain/verification/certificate-number.js";
import type { CertificateStatus, Opinion } from "../../domain/verification/states.js";
import { Prisma } from "../../generated/prisma/client.js";
import { timeSql } from "../database/time-sql.js";
import type { Database } from "../database/types.js";
import type { RowReader } from "../people/rows.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";

export interface CertificateRow {
  readonly number: string;
  readonly requestId: string;
  /** ISO 8601. */
  readonly issuedAt: string;
  readonly opinion: Opinion;
  /** The text that was signed. */
  readonly statement: string;
  readonly digest: string;
  readonly signature: string;
  readonly keyId: string;
  readonly status: CertificateStatus;
  readonly supersededBy: string | null;
}

/** The columns of a CertificateRow, from `certificates AS c`. */
export const CERTIFICATE = `c.number, c.request_id AS "requestId",
  ${timeSql("c.issued_at")} AS "issuedAt", c.opinion::text AS opinion, c.statement,
  c.digest, c.signature, c.kid AS "keyId", c.status::text AS status, c.superseded_by AS "supersededBy"`;

const SELECT = Prisma.raw(CERTIFICATE);
const listed = (organizationId: string) => ({
  from: Prisma.sql`certificates AS c`,
  where: [Prisma.sql`c.organization_id = ${organizationId}::uuid`],
});

/** A page of an organization's certificates, latest first. */
export const listCertificates = (
  rows: RowReader,
  organizationId: string,
  page: PageRequest,
): Promise<Page<CertificateRow>> => {
  const order = { columns: [["c.number", "text"]] as const, descending: true };
  return readPage(rows, { select: SELECT, ...listed(organizationId), order }, page);
};

/** The number of an organization's certificates. */
export const countCertificates = (rows: RowReader, organizationId: string): Promise<number> =>
  countRows(rows, listed(organizationId));

/** A certificate of an organization by its number; null if there is none. */
export async function findCertificate(
  rows: RowReader,
  organizationId: string,
  number: string,
): Promise<CertificateRow | null> {
  if (!isCertificateNumber(number)) return null;
  const [certificate] = await rows.query<CertificateRow>(
    Prisma.sql`SELECT ${SELECT} FROM certificates AS c WHERE c.organization_id = ${organizationId}::uuid AND c.number = ${number}`,
  );
  return certificate ?? null;
}

/** A certificate as anybody may see it. */
export interface PublicCertificateRow extends CertificateRow {
  /** The organization's name today, which is not certified. */
  readonly organizationNameNow: string;
}

/** A certificate of any organization by its number; null if there is none. */
export async function findAnyCertificate(
  database: Database,
  number: string,
): Promise<PublicCertificateRow | null> {
  if (!isCertificateNumber(number)) return null;
  const [certificate] = await database.select<PublicCertificateRow>(
    `SELECT ${CERTIFICATE}, o.name AS "organizationNameNow" FROM certificates AS c JOIN organizations AS o ON o.id = c.organization_id
     WHERE c.number = $1::text`,
    [number],
  );
  return certificate ?? null;
}

/** A public key that has signed certificates. */
export interface SigningKeyRow {
  readonly kid: string;
  /** Its 32 bytes in base64url. */
  readonly publicKey: string;
  readonly usedFrom: Date;
  /** Null for the one that is in use. */
  readonly usedUntil: Date | null;
}

/** All public keys, latest first. */
export const listSigningKeys = (database: Database): Promise<SigningKeyRow[]> =>
  database.select<SigningKeyRow>(
    `SELECT kid, public_key AS "publicKey", used_from AS "usedFrom", used_until AS "usedUntil"
     FROM signing_keys ORDER BY used_from DESC, kid`,
    [],
  );
