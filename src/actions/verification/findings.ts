import type { FindingRow } from "../../data/verification/details.js";
import {
  countFindings,
  findSameFinding,
  insertFinding,
  isRecordOf,
} from "../../data/verification/findings.js";
import { readWithin } from "../../domain/decimals.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import type { FindingSeverity } from "../../domain/verification/states.js";
import { ActionError, InvalidInput, requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { readLines } from "../read-text.js";
import { requireSnapshot } from "./issue-certificate.js";
import { asVerifier } from "./take-step.js";

/** Maximum number of findings of a request. */
export const MAX_FINDINGS = 200;

const TONNES = { exponent: 17, decimals: 6 };

/** A verifier's finding, as the caller sends it. */
export interface FindingInput {
  /** Identifier of the request. */
  readonly id: string;
  readonly recordId?: string | null | undefined;
  readonly text: string;
  readonly severity: FindingSeverity;
  /** A decimal in any notation. */
  readonly misstatementTonnes?: string | null | undefined;
}

function readMisstatement(given: string | null | undefined): string | null {
  if (given == null) return null;
  const size = readWithin(given.replace(/^-/, ""), TONNES);
  if (size !== undefined) return given.startsWith("-") && size !== "0" ? `-${size}` : size;
  const expected = `must be −10^${TONNES.exponent} to 10^${TONNES.exponent} with at most ${TONNES.decimals} decimals`;
  throw new InvalidInput("verification", "misstatementTonnes", `${expected} (got ${given})`);
}

/**
 * Records a finding about the latest snapshot of a request in review. Returns an existing finding if it is the same.
 * Throws NOT_FOUND for another verifier's request, CONFLICT if the request is not in review or has too many findings,
 * VALIDATION_FAILED, and the other errors of `asVerifier`.
 */
export function addFinding(
  caller: ActorContext,
  { id, recordId: given, severity, ...input }: FindingInput,
): Promise<{ finding: FindingRow; isNew: boolean }> {
  const recordId = given?.toLowerCase() ?? null;
  return asVerifier(caller, id, async ({ sql, organizationId, request }) => {
    const [text, misstatementTonnes] = requireValid(
      () => readLines("verification", "text", input.text, TEXT_LIMITS.finding),
      () => readMisstatement(input.misstatementTonnes),
    );
    const conflict = (message: string) => new ActionError("CONFLICT", "verification", message, "status");
    if (request.status !== "in_review") {
      const status = request.status.replaceAll("_", " ");
      throw conflict(`The request is ${status}. Findings can be recorded only while it is in review.`);
    }
    if (recordId !== null && !(await isRecordOf(sql, organizationId, request, recordId))) {
      throw new InvalidInput("verification", "recordId", "must be the id of one of the request's records");
    }
    const { number: snapshotNumber } = requireSnapshot(request);
    const sent = { snapshotNumber, recordId, text, severity, misstatementTonnes };
    const existing = await findSameFinding(sql, organizationId, request.id, sent);
    if (existing) return { finding: existing, isNew: false };
    if ((await countFindings(sql, organizationId, request.id)) >= MAX_FINDINGS) {
      throw conflict(`The request already has ${MAX_FINDINGS} findings, the maximum.`);
    }
    return { finding: await insertFinding(sql, organizationId, request.id, sent, caller.now), isNew: true };
  });
}
