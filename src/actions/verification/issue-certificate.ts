import { hash, randomBytes } from "node:crypto";
import type { CertificateKey } from "../../access/secrets/certificate-key.js";
import { type CertifiableIssue, findCertifiableIssue } from "../../data/inventory/issues.js";
import { readInTransaction } from "../../data/tenant/reader.js";
import type { SnapshotRow } from "../../data/verification/requests.js";
import {
  findCertifiedVerifier,
  insertCertificate,
  recordSigningKey,
  takeCertificateCounter,
} from "../../data/verification/write-certificates.js";
import type { LockedRequest } from "../../data/verification/write-requests.js";
import { addDecimals } from "../../domain/decimals.js";
import { sumScopes } from "../../domain/inventory/scope-sums.js";
import {
  CERTIFICATE_ALPHABET,
  RANDOM_CHARACTERS,
  writeCertificateNumber,
} from "../../domain/verification/certificate-number.js";
import {
  type CertifiedInventory,
  type CertifiedVerifier,
  writeStatement,
} from "../../domain/verification/statement.js";
import type { Opinion } from "../../domain/verification/states.js";
import { isoDate } from "../../domain/window.js";
import { AppError } from "../../errors.js";
import { ActionError } from "../action-error.js";
import type { PersonContext } from "../actor-context.js";
import type { StepContext } from "./take-step.js";

/** Returns the latest snapshot of a submitted request. */
export function requireSnapshot({ snapshot }: LockedRequest): SnapshotRow {
  if (snapshot) return snapshot;
  throw new Error("a request in review has no snapshot");
}

/** Returns the emissions of a snapshot in tCO2e, as a plain decimal. */
export const totalOf = ({ totals }: Pick<SnapshotRow, "totals">): string =>
  addDecimals(totals.map(({ co2eTonnes }) => co2eTonnes));

/** Reads the inventory issue of a request; null if only records are verified. */
export async function readVerifiedIssue({
  sql,
  organizationId,
  request: { inventory },
}: StepContext): Promise<CertifiableIssue | null> {
  if (inventory === null) return null;
  const issue = await findCertifiableIssue(readInTransaction(sql, organizationId), inventory);
  if (issue) return issue;
  throw new Error(
    `issue ${inventory.issue} of ${inventory.year} is missing, although issues are never deleted`,
  );
}

const certify = ({ year, issue, basis, digest, boundary, scopes }: CertifiableIssue): CertifiedInventory => ({
  year,
  issue,
  basis,
  digest,
  boundary,
  scope2MarketBasedCo2eTonnes: sumScopes(scopes, ["scope_2"], "market_based"),
});

const drawCharacters = (): string =>
  Array.from(randomBytes(RANDOM_CHARACTERS), (byte) => CERTIFICATE_ALPHABET[byte % 32]).join("");

async function requireKey({ resources }: PersonContext): Promise<CertificateKey> {
  const key = await resources.certificateKey();
  if (key !== null) return key;
  const message =
    "This gateway cannot sign certificates. Its operator has to set CERTIFICATE_KEY, as docs/verification.md describes.";
  throw new ActionError("VALIDATION_FAILED", "certificate", message);
}

/** Returns the names for a certificate: the user's, and that of the organization for which the user accepted. */
async function requireVerifier(
  { writer, person }: PersonContext,
  { sql, request }: StepContext,
): Promise<CertifiedVerifier> {
  // A reopened request has no verifier organization if its verifier was bound before verifier links existed.
  const organizationId = request.verifierOrganizationId ?? writer.organizationId;
  const verifier = await findCertifiedVerifier(sql, person.user.id, organizationId);
  if (verifier) return verifier;
  throw new AppError(
    "FORBIDDEN",
    "You are no longer a member of the organization for which you accepted the request.",
  );
}

/**
 * Issues a certificate for a request's latest snapshot and returns its number. Decisions of other organizations wait
 * until the transaction ends. Throws VALIDATION_FAILED if no key is configured, and FORBIDDEN if the user has left the
 * organization for which they accepted the request.
 */
export async function issueCertificate(
  caller: PersonContext,
  context: StepContext,
  opinion: Opinion,
): Promise<string> {
  const { now } = caller;
  const { sql, organizationId, request } = context;
  const key = await requireKey(caller);
  const snapshot = requireSnapshot(request);
  const verifier = await requireVerifier(caller, context);
  const issue = await readVerifiedIssue(context);
  const year = now.getUTCFullYear();
  await recordSigningKey(sql, key);
  const number = writeCertificateNumber(year, await takeCertificateCounter(sql, year), drawCharacters());
  const statement = writeStatement({
    number,
    organization: { id: organizationId, name: request.organizationName, slug: request.organizationSlug },
    verifier,
    issuedOn: isoDate(now),
    period: { from: request.periodFrom, to: request.periodTo },
    level: request.level,
    materialityPercent: request.materialityPercent,
    opinion,
    recordCount: snapshot.recordCount,
    totals: snapshot.totals,
    totalCo2eTonnes: totalOf(snapshot),
    snapshotDigest: snapshot.digest,
    inventory: issue && certify(issue),
  });
  const signed = {
    number,
    requestId: request.id,
    opinion,
    statement,
    digest: hash("sha256", statement),
    signature: key.sign(statement),
    keyId: key.kid,
  };
  await insertCertificate(sql, organizationId, signed, now);
  return number;
}
