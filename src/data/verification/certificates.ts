import { isCertificateNumber } from "../../domain/verification/certificate-number.js";
import type { CertificateStatus, Opinion } from "../../domain/verification/states.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { Database } from "../database/types.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { CERTIFICATE_COLUMNS } from "./columns.js";

export interface CertificateRow {
  readonly number: string;
  readonly requestId: string;
  /** ISO 8601. */
  readonly issuedAt: string;
  readonly opinion: Opinion;
  /** The signed text. */
  readonly statement: string;
  readonly digest: string;
  readonly signature: string;
  readonly keyId: string;
  readonly status: CertificateStatus;
  readonly supersededBy: string | null;
}

const SELECT = Prisma.raw(CERTIFICATE_COLUMNS);
const LISTED = { from: Prisma.sql`${own.certificates} AS c`, where: [] };

/** Reads a page of the organization's certificates, latest first. */
export const listCertificates = (tenant: TenantReader, page: PageRequest): Promise<Page<CertificateRow>> => {
  const order = { columns: [["c.number", "text"]] as const, descending: true };
  return readPage(tenant, { select: SELECT, ...LISTED, order }, page);
};

export const countCertificates = (tenant: TenantReader): Promise<number> => countRows(tenant, LISTED);

/** Finds a certificate of the organization; null if it does not exist. */
export async function findCertificate(tenant: TenantReader, number: string): Promise<CertificateRow | null> {
  if (!isCertificateNumber(number)) return null;
  const [certificate] = await tenant.query<CertificateRow>(
    Prisma.sql`SELECT ${SELECT} FROM ${own.certificates} AS c WHERE c.number = ${number}`,
  );
  return certificate ?? null;
}

/** A certificate, as shown to the public. */
export interface PublicCertificateRow extends CertificateRow {
  /** The organization's current name, which is not part of the signed statement. */
  readonly organizationNameNow: string;
}

/** Finds a certificate of any organization; null if it does not exist. */
export async function findAnyCertificate(
  database: Database,
  number: string,
): Promise<PublicCertificateRow | null> {
  if (!isCertificateNumber(number)) return null;
  const [certificate] = await database.select<PublicCertificateRow>(
    `SELECT ${CERTIFICATE_COLUMNS}, o.name AS "organizationNameNow" FROM certificates AS c JOIN organizations AS o ON o.id = c.organization_id
     WHERE c.number = $1::text`,
    [number],
  );
  return certificate ?? null;
}

/** A public key that verifies the signatures of certificates. */
export interface SigningKeyRow {
  readonly kid: string;
  /** 32 bytes in base64url. */
  readonly publicKey: string;
  readonly usedFrom: Date;
  /** Null for the current key. */
  readonly usedUntil: Date | null;
}

/** Lists all public keys, latest first. */
export const listSigningKeys = (database: Database): Promise<SigningKeyRow[]> =>
  database.select<SigningKeyRow>(
    `SELECT kid, public_key AS "publicKey", used_from AS "usedFrom", used_until AS "usedUntil"
     FROM signing_keys ORDER BY used_from DESC, kid`,
    [],
  );
