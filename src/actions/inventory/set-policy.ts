import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { findIssuedYear, listOwnPolicies, setPolicy } from "../../data/inventory/write-policies.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import { EMISSION_SCOPES, type EmissionScope } from "../../domain/enums.js";
import type { ConsolidationApproach, InventoryPolicy } from "../../domain/inventory/inventory.js";
import { INVENTORY_YEARS, policyOf } from "../../domain/inventory/policies.js";
import { ActionError, InvalidInput, requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { changesNothing } from "../idempotency.js";
import { readShare } from "../read-amount.js";
import { readNote } from "../read-text.js";
import { readYear } from "./year.js";

/** A policy as the caller sends it. */
export interface PolicyInput {
  readonly fromYear: number;
  readonly approach: ConsolidationApproach;
  readonly scopes: readonly EmissionScope[];
  /** January if omitted. */
  readonly yearStartsIn?: number | null | undefined;
  readonly baseYear?: number | null | undefined;
  readonly baseYearReason?: string | null | undefined;
  /** A decimal in any notation. */
  readonly recalculationThresholdPercent?: string | null | undefined;
  readonly recalculationPolicy?: string | null | undefined;
}

const THRESHOLD = { max: 100, decimals: 4, isAboveZero: true };

/**
 * Sets the inventory policy from a year on. Repeating it changes nothing. Throws InvalidInput, also if the year starts
 * in a different month than in the other policies, and CONFLICT if an inventory was issued in the years to which the
 * policy would apply.
 */
export async function setInventoryPolicy(
  { resources, writer, now }: ActorContext,
  input: PolicyInput,
): Promise<InventoryPolicy> {
  const content = readPolicy(input);
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    const policies = await listOwnPolicies(sql, organizationId);
    const existing = policies.find(({ fromYear }) => fromYear === content.fromYear);
    if (existing && changesNothing(existing, content)) return existing;
    requireSameStart(policies, content);
    await requireNotIssued(sql, organizationId, policies, content.fromYear);
    return setPolicy(sql, organizationId, { ...content, chosenBy: writer.actor.id, chosenAt: now });
  });
}

function readPolicy(input: PolicyInput): Omit<InventoryPolicy, "chosenAt"> {
  const { approach, baseYear = null, recalculationThresholdPercent: threshold = null } = input;
  const [
    fromYear,
    scopes,
    yearStartsIn,
    ,
    baseYearReason,
    recalculationThresholdPercentExact,
    recalculationPolicy,
  ] = requireValid(
    () => readYear("policy", "fromYear", input.fromYear),
    () => readScopes(input.scopes),
    () => readMonth(input.yearStartsIn ?? 1),
    () => (baseYear === null ? null : readYear("policy", "baseYear", baseYear)),
    () => readReason(input.baseYearReason, baseYear),
    () =>
      threshold === null ? null : readShare("policy", "recalculationThresholdPercent", threshold, THRESHOLD),
    () => readNote("policy", "recalculationPolicy", input.recalculationPolicy),
  );
  return {
    fromYear,
    approach,
    scopes,
    yearStartsIn,
    baseYear,
    baseYearReason,
    recalculationThresholdPercentExact,
    recalculationPolicy,
  };
}

function readScopes(given: readonly EmissionScope[]): readonly EmissionScope[] {
  if (given.includes("scope_1") && given.includes("scope_2"))
    return EMISSION_SCOPES.filter((scope) => given.includes(scope));
  const got = given.length === 0 ? "none" : given.slice(0, EMISSION_SCOPES.length).join(", ");
  throw new InvalidInput("policy", "scopes", `must contain scope_1 and scope_2 (got ${got})`);
}

function readMonth(month: number): number {
  if (month >= 1 && month <= 12) return month;
  throw new InvalidInput("policy", "yearStartsIn", `must be a month from 1 to 12 (got ${month})`);
}

function readReason(given: string | null | undefined, baseYear: number | null): string | null {
  const reason = readNote("policy", "baseYearReason", given);
  if ((reason === null) === (baseYear === null)) return reason;
  const fault = baseYear === null ? "must be omitted without a base year" : "is required with a base year";
  throw new InvalidInput("policy", "baseYearReason", fault);
}

/** Throws InvalidInput unless the year starts in the same month in all policies: no month may count in two years. */
function requireSameStart(
  policies: readonly InventoryPolicy[],
  { fromYear, yearStartsIn }: Pick<InventoryPolicy, "fromYear" | "yearStartsIn">,
): void {
  const other = policies.find(
    (policy) => policy.fromYear !== fromYear && policy.yearStartsIn !== yearStartsIn,
  );
  if (!other) return;
  const fault = `must be ${other.yearStartsIn}, as in the policy from ${other.fromYear} (got ${yearStartsIn})`;
  throw new InvalidInput("policy", "yearStartsIn", fault);
}

/** Throws CONFLICT if an inventory was issued in the years to which a policy from this year would apply. */
async function requireNotIssued(
  sql: SqlSession,
  organizationId: string,
  policies: readonly InventoryPolicy[],
  fromYear: number,
): Promise<void> {
  const next = policies.find((policy) => policy.fromYear > fromYear);
  const years = { first: fromYear, last: next ? next.fromYear - 1 : INVENTORY_YEARS.last };
  const issued = await findIssuedYear(sql, organizationId, years);
  if (issued === null) return;
  const from = policyOf(policies, issued)?.fromYear ?? fromYear;
  const message = `POLICY_IN_USE: the inventory of ${issued} was issued under the policy from ${from}. Set a policy from a later year (got ${fromYear}).`;
  throw new ActionError("CONFLICT", "policy", message, "fromYear");
}
