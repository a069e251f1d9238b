import { write } from "../../data/database/transaction.js";
import { insertRequest, insertStatusChange } from "../../data/verification/write-requests.js";
import { readDecimal } from "../../domain/amounts.js";
import type { EmissionScope } from "../../domain/enums.js";
import { findEmailFault } from "../../domain/people/email.js";
import { findPeriodFault, findScopesFault, sortScopes } from "../../domain/verification/scope-of-request.js";
import type { AssuranceLevel } from "../../domain/verification/states.js";
import { type DateRange, type IsoDate, isoDate } from "../../domain/window.js";
import type { Acting } from "../acting.js";
import { InvalidInput, requireValid } from "../action-error.js";
import type { Written } from "../same.js";

const MATERIALITY = { integerDigits: 3, decimals: 4 };

/** A request to verify records. */
export interface VerificationInput {
  readonly period: DateRange;
  readonly scopes: readonly EmissionScope[];
  readonly level: AssuranceLevel;
  /** A decimal of any form. */
  readonly materialityPercent: string;
  /** Address that gets the link for the verifier. The address grants no access. */
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
    "materialityPercent",
    `must be above 0 and at most 100, with at most ${MATERIALITY.decimals} decimals (got ${given})`,
  );
}

function readVerifier(given: string): string {
  const email = given.trim();
  if (findEmailFault(email) === undefined) return email;
  throw new InvalidInput(
    "verification",
    "verifierEmail",
    `must be an e-mail address, such as vera@example.com (got ${JSON.stringify(email.slice(0, 60))})`,
  );
}

function requirePeriod(period: DateRange, today: IsoDate): void {
  const found = findPeriodFault(period, today);
  if (found) fault(`period${found.part}`, found.fault);
}

/** Drafts a request, or returns an existing draft of the same request. Throws all faults of the input together. */
export function draftRequest(
  { resources, writer, now }: Acting,
  { period, scopes, level, ...input }: VerificationInput,
): Promise<Written> {
  const [materialityPercent, verifierEmail] = requireValid(
    () => readMateriality(input.materialityPercent),
    () => readVerifier(input.verifierEmail),
    () => requirePeriod(period, isoDate(now)),
    () => fault("scopes", findScopesFault(scopes)),
  );
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    const asked = { period, scopes: sortScopes(scopes), level, materialityPercent, verifierEmail };
    const written = await insertRequest(sql, organizationId, asked, now);
    if (written.isNew) {
      const change = { from: null, status: "draft", by: "organization", now, note: null } as const;
      await insertStatusChange(sql, organizationId, written.id, change);
    }
    return written;
  });
}
