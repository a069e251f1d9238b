import { write } from "../../data/database/transaction.js";
import { findCertifiableIssue } from "../../data/inventory/issues.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import {
  insertRequest,
  insertStatusChange,
  type VerifiedInventory,
} from "../../data/verification/write-requests.js";
import { readDecimal } from "../../domain/decimals.js";
import type { EmissionScope } from "../../domain/enums.js";
import { findEmailFault } from "../../domain/people/email.js";
import { findPeriodFault, findScopesFault, sortScopes } from "../../domain/verification/request-scope.js";
import type { AssuranceLevel } from "../../domain/verification/states.js";
import { type DateRange, type IsoDate, isoDate } from "../../domain/window.js";
import { InvalidInput, requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import type { WriteResult } from "../idempotency.js";

const MATERIALITY = { integerDigits: 3, decimals: 4 };

/** A request to verify records. */
export interface VerificationInput {
  /** Omitted with an inventory, like the scopes. */
  readonly period?: DateRange | null | undefined;
  readonly scopes?: readonly EmissionScope[] | null | undefined;
  readonly inventory?: VerifiedInventory | null | undefined;
  readonly level: AssuranceLevel;
  /** A decimal in any notation. */
  readonly materialityPercent: string;
  /** Address that gets the link for the verifier. The address grants no access. */
  readonly verifierEmail: string;
}

const refuse = (field: string, fault: string): never => {
  throw new InvalidInput("verification", field, fault);
};

function readMateriality(given: string): string {
  const percent = readDecimal(given, MATERIALITY);
  if (percent !== undefined && Number(percent) > 0 && Number(percent) <= 100) return percent;
  return refuse(
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

const REQUIRED = "is required without an inventory";

function readPeriod(period: DateRange | null | undefined, today: IsoDate): DateRange {
  if (!period) return refuse("period", REQUIRED);
  const found = findPeriodFault(period, today);
  return found ? refuse(`period${found.part}`, found.fault) : period;
}

function readScopes(scopes: readonly EmissionScope[] | null | undefined): readonly EmissionScope[] {
  if (!scopes) return refuse("scopes", REQUIRED);
  const fault = findScopesFault(scopes);
  return fault === undefined ? sortScopes(scopes) : refuse("scopes", fault);
}

/** Returns the period and scopes of an issue. Throws InvalidInput if it does not exist. */
async function readInventory(tenant: TenantReader, { year, issue }: VerifiedInventory) {
  const found = await findCertifiableIssue(tenant, { year, issue });
  if (found)
    return {
      period: found.period,
      scopes: found.scopes.map(({ scope }) => scope),
      inventory: { year, issue },
    };
  return refuse("inventory", `must be an issue of the organization's inventory (got ${issue} of ${year})`);
}

/**
 * Drafts a request, or returns an existing draft of the same request. An inventory replaces the period and scopes.
 * Throws all faults of the input together.
 */
export async function draftRequest(
  { resources, tenant, writer, now }: ActorContext,
  { period, scopes, inventory, level, ...input }: VerificationInput,
): Promise<WriteResult> {
  const [materialityPercent, verifierEmail, wanted, ownPeriod, ownScopes] = requireValid(
    () => readMateriality(input.materialityPercent),
    () => readVerifier(input.verifierEmail),
    () => {
      if (!inventory) return null;
      if (period || scopes) refuse("inventory", "must not be combined with period or scopes");
      return inventory;
    },
    () => (inventory ? null : readPeriod(period, isoDate(now))),
    () => (inventory ? null : readScopes(scopes)),
  );
  const verified = wanted
    ? await readInventory(tenant, wanted)
    : { period: ownPeriod as DateRange, scopes: ownScopes ?? [], inventory: null };
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    const asked = { ...verified, level, materialityPercent, verifierEmail };
    const written = await insertRequest(sql, organizationId, asked, now);
    if (written.isNew) {
      const change = { from: null, status: "draft", by: "organization", now, note: null } as const;
      await insertStatusChange(sql, organizationId, written.id, change);
    }
    return written;
  });
}
