import { write } from "../../data/database/transaction.js";
import { findCertifiableIssue } from "../../data/inventory/issues.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import {
  insertRequest,
  insertStatusChange,
  type VerifiedInventory,
} from "../../data/verification/write-requests.js";
import type { EmissionScope } from "../../domain/enums.js";
import { findPeriodFault, findScopesFault, sortScopes } from "../../domain/verification/request-scope.js";
import type { AssuranceLevel } from "../../domain/verification/states.js";
import { type DateRange, type IsoDate, isoDate } from "../../domain/window.js";
import { InvalidInput, requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import type { WriteResult } from "../idempotency.js";
import { readShare } from "../read-amount.js";
import { readEmail } from "../read-text.js";

const MATERIALITY = { max: 100, decimals: 4, isAboveZero: true };

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
 * Throws all faults of the input together, except an unknown issue.
 */
export async function draftRequest(
  { resources, tenant, writer, now }: ActorContext,
  { period, scopes, inventory, level, ...input }: VerificationInput,
): Promise<WriteResult> {
  const [materialityPercent, verifierEmail, wanted, ownPeriod, ownScopes] = requireValid(
    () => readShare("verification", "materialityPercent", input.materialityPercent, MATERIALITY),
    () => readEmail("verification", input.verifierEmail, "verifierEmail"),
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
