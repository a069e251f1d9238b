import { write } from "../../data/database/transaction.js";
import { isMember } from "../../data/verification/independence.js";
import { insertRequest, insertStatusChange } from "../../data/verification/write-requests.js";
import { readDecimal } from "../../domain/amounts.js";
import type { EmissionScope } from "../../domain/enums.js";
import { findEmailFault } from "../../domain/people/email.js";
import { findPeriodFault, findScopesFault, sortScopes } from "../../domain/verification/scope-of-request.js";
import type { AssuranceLevel } from "../../domain/verification/states.js";
import { type DateRange, isoDate } from "../../domain/window.js";
import type { Acting } from "../acting.js";
import { InvalidInput, requireValid } from "../action-error.js";
import type { Written } from "../same.js";

const MATERIALITY = { integerDigits: 3, decimals: 4 };

/** What a person asks to have verified. */
export interface VerificationInput {
  readonly period: DateRange;
  readonly scopes: readonly EmissionScope[];
  readonly level: AssuranceLevel;
  /** A decimal of any form. */
  readonly materialityPct: string;
  readonly verifierEmail: string;
}

const fault = (field: string, text: string | undefined) => {
  if (text !== undefined) throw new InvalidInput("verification", field, text);
};

function readMateriality(given: string): string {
  const percent = readDecimal(given, MATERIALITY);
  if (percent !== undefined && Number(percent) > 0 && Number(percent) <= 100) return percent;
  throw new InvalidInput(
    "verification",
    "materialityPct",
    `must be above 0 and at most 100, with at most ${MATERIALITY.decimals} decimals (got ${given})`,
  );
}

function readVerifier(given: string): string {
  const email = given.trim();
  if (findEmailFault(email) === undefined) return email;
  throw new InvalidInput(
    "verification",
    "verifierEmail",
    "must be an e-mail address, such as vera@example.com",
  );
}

/** Throws VALIDATION_FAILED because somebody who is a member would verify an organization. */
export function refuseMember(): never {
  throw new InvalidInput(
    "verification",
    "verifierEmail",
    "must be that of somebody independent: a member of the organization cannot verify it",
  );
}

/**
 * Drafts a request; one that says the same is returned instead of a second one. Throws everything that is wrong with the
 * input together, and VALIDATION_FAILED for a verifier who is a member.
 */
export function draftRequest(
  { resources, writer, now }: Acting,
  { period, scopes, level, ...input }: VerificationInput,
): Promise<Written> {
  const [materialityPct, verifierEmail] = requireValid(
    () => readMateriality(input.materialityPct),
    () => readVerifier(input.verifierEmail),
    () => fault("period", findPeriodFault(period, isoDate(now))),
    () => fault("scopes", findScopesFault(scopes)),
  );
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    if (await isMember(sql, organizationId, verifierEmail)) refuseMember();
    const asked = { period, scopes: sortScopes(scopes), level, materialityPct, verifierEmail };
    const written = await insertRequest(sql, organizationId, asked, now);
    if (written.isNew) {
      const change = { from: null, status: "draft", by: "organization", now, note: null } as const;
      await insertStatusChange(sql, organizationId, written.id, change);
    }
    return written;
  });
}
