import { hash } from "node:crypto";
import type { SnapshotRow } from "../../data/verification/requests.js";
import {
  insertCertificate,
  noteSigningKey,
  takeCertificateNumber,
} from "../../data/verification/write-certificates.js";
import type { LockedRequest } from "../../data/verification/write-requests.js";
import { addDecimals } from "../../domain/amounts.js";
import { writeStatement } from "../../domain/verification/statement.js";
import type { Opinion } from "../../domain/verification/states.js";
import type { Acting } from "../acting.js";
import { ActionError } from "../action-error.js";
import type { Stepping } from "./take-step.js";

/** The latest snapshot of a request that was submitted. */
export function requireSnapshot({ snapshot }: LockedRequest): SnapshotRow {
  if (snapshot) return snapshot;
  throw new Error("a request in review has no snapshot");
}

/** The emissions of a snapshot in tCO2e, as a plain decimal. */
export const totalOf = ({ totals }: Pick<SnapshotRow, "totals">): string =>
  addDecimals(totals.map(({ co2eTonnes }) => co2eTonnes));

/** Issues a certificate of a request's latest snapshot; returns its number. Throws VALIDATION_FAILED if there is no key. */
export async function issueCertificate(
  { resources, now }: Acting,
  { sql, organizationId, request }: Stepping,
  opinion: Opinion,
): Promise<string> {
  const key = await resources.certificateKey();
  if (key === null) {
    const message =
      "This gateway cannot sign certificates. Its operator has to set CERTIFICATE_KEY, as docs/verification.md describes.";
    throw new ActionError("VALIDATION_FAILED", "certificate", message);
  }
  const { totals, recordCount } = requireSnapshot(request);
  const number = await takeCertificateNumber(sql, now.getUTCFullYear());
  const statement = writeStatement({
    ...{ number, organization: request.organizationSlug, opinion, recordCount, totals },
    ...{ period: { from: request.periodFrom, to: request.periodTo }, level: request.level },
    ...{ materialityPct: request.materialityPct, totalCo2eTonnes: totalOf({ totals }) },
  });
  await noteSigningKey(sql, key, now);
  await insertCertificate(
    sql,
    organizationId,
    {
      ...{ number, requestId: request.id, opinion, statement },
      ...{ digest: hash("sha256", statement), signature: key.sign(statement), keyId: key.kid },
    },
    now,
  );
  return number;
}
