import { write } from "../../data/database/transaction.js";
import { hasMetric, type TargetRow } from "../../data/inventory/targets.js";
import {
  insertTarget,
  listOwnTargets,
  deleteTarget as remove,
  type TargetContent,
  updateTarget,
} from "../../data/inventory/write-targets.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import { readInTransaction } from "../../data/tenant/reader.js";
import type { EmissionScope } from "../../domain/enums.js";
import type { Scope2Method } from "../../domain/inventory/scope-sums.js";
import { MAX_TARGET_YEARS } from "../../domain/inventory/target-path.js";
import { findScopesFault, sortScopes } from "../../domain/verification/request-scope.js";
import { ActionError, InvalidInput, requireFound, requireValid, requireVersion } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { changesNothing } from "../idempotency.js";
import { readAmount, readShare } from "../read-amount.js";
import { readLines, readName, readText } from "../read-text.js";
import { readYear } from "./year.js";

/** Maximum number of an organization's targets. */
export const MAX_TARGETS = 20;
const MAX_ACTIONS = 2_000;
const REDUCTION = { max: 100, decimals: 4, isAboveZero: true };
const VALUE = { exponent: 17, decimals: 6 };

/** A target as the caller sends it. */
export interface TargetInput {
  readonly name: string;
  readonly scopes: readonly EmissionScope[];
  readonly scope2Method?: Scope2Method | null | undefined;
  readonly metric?: string | null | undefined;
  readonly baseYear: number;
  readonly targetYear: number;
  /** A decimal in any notation. */
  readonly reductionPercent?: string | null | undefined;
  /** A decimal in any notation. */
  readonly targetValue?: string | null | undefined;
  readonly actions?: string | null | undefined;
}

/**
 * Adds a target. Throws InvalidInput, also for a metric without values, and CONFLICT if the name is taken or the
 * organization has the maximum number of targets.
 */
export function createTarget({ resources, writer }: ActorContext, input: TargetInput): Promise<TargetRow> {
  const target = readTarget(input);
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    const others = await listOwnTargets(sql, organizationId);
    requireUniqueName(target, others);
    await requireMetric(readInTransaction(sql, organizationId), target);
    if (others.length >= MAX_TARGETS) {
      const message = `The organization already has ${MAX_TARGETS} targets, the maximum. Delete one first.`;
      throw new ActionError("CONFLICT", "target", message, "name");
    }
    return insertTarget(sql, organizationId, target);
  });
}

/** Changes to a target. Omitted parts are unchanged. */
export type TargetChanges = { readonly [Name in keyof TargetInput]?: TargetInput[Name] | null | undefined };

/**
 * Changes a target. Throws the errors of `createTarget`, NOT_FOUND, and CONFLICT if the version is not the expected
 * one.
 */
export function changeTarget(
  { resources, writer }: ActorContext,
  id: string,
  changes: TargetChanges,
  expectedVersion: number | null | undefined,
): Promise<TargetRow> {
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    const targets = await listOwnTargets(sql, organizationId);
    const existing = findOwn(targets, id);
    const { reductionPercentExact: reductionPercent, targetValueExact: targetValue, ...rest } = existing;
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const changed = readTarget({ ...rest, reductionPercent, targetValue, ...given } as TargetInput);
    if (changesNothing<TargetContent>(existing, changed)) return existing;
    requireVersion("target", existing.version, expectedVersion);
    requireUniqueName(
      changed,
      targets.filter((target) => target !== existing),
    );
    if (changed.metric !== existing.metric)
      await requireMetric(readInTransaction(sql, organizationId), changed);
    return updateTarget(sql, organizationId, { ...changed, id: existing.id });
  });
}

/** Deletes a target. Throws NOT_FOUND, and CONFLICT if its version is not the expected one. */
export function deleteTarget(
  { resources, writer }: ActorContext,
  id: string,
  expectedVersion: number | null | undefined,
): Promise<{ readonly id: string }> {
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    const existing = findOwn(await listOwnTargets(sql, organizationId), id);
    requireVersion("target", existing.version, expectedVersion);
    await remove(sql, organizationId, existing.id);
    return { id: existing.id };
  });
}

const findOwn = (targets: readonly TargetRow[], id: string): TargetRow =>
  requireFound(
    targets.find((target) => target.id === id.toLowerCase()),
    "target",
    id,
  );

function readTarget(input: TargetInput): TargetContent {
  const {
    scopes,
    scope2Method = null,
    metric = null,
    reductionPercent = null,
    targetValue = null,
    actions = null,
  } = input;
  const [name, , , metricName, baseYear, targetYear, reductionPercentExact, targetValueExact, , actionText] =
    requireValid(
      () => readName("target", input.name),
      () => requireScopes(scopes),
      () => requireMethod(scopes, scope2Method),
      () => (metric === null ? null : readText("target", "metric", metric, 200)),
      () => readYear("target", "baseYear", input.baseYear),
      () => readTargetYear(input),
      () =>
        reductionPercent === null
          ? null
          : readShare("target", "reductionPercent", reductionPercent, REDUCTION),
      () => (targetValue === null ? null : readAmount("target", "targetValue", targetValue, VALUE)),
      () => requireOneGoal(reductionPercent, targetValue),
      () => (actions === null ? null : readLines("target", "actions", actions, MAX_ACTIONS)),
    );
  return {
    name,
    scopes: sortScopes(scopes),
    scope2Method,
    metric: metricName,
    baseYear,
    targetYear,
    reductionPercentExact,
    targetValueExact,
    actions: actionText,
  };
}

function requireScopes(scopes: readonly EmissionScope[]): void {
  const fault = findScopesFault(scopes);
  if (fault) throw new InvalidInput("target", "scopes", fault);
}

function requireMethod(scopes: readonly EmissionScope[], method: Scope2Method | null): void {
  if (scopes.includes("scope_2") === (method !== null)) return;
  const fault =
    method === null
      ? "is required for a target that covers scope_2"
      : `must be omitted for a target without scope_2 (got ${method})`;
  throw new InvalidInput("target", "scope2Method", fault);
}

function readTargetYear({ baseYear, targetYear }: TargetInput): number {
  if (targetYear > baseYear && targetYear <= baseYear + MAX_TARGET_YEARS) return targetYear;
  const expected = `must be after the base year and at most ${MAX_TARGET_YEARS} years later`;
  throw new InvalidInput(
    "target",
    "targetYear",
    `${expected} (got ${targetYear} for the base year ${baseYear})`,
  );
}

function requireOneGoal(reduction: string | null, value: string | null): void {
  if ((reduction === null) !== (value === null)) return;
  const got = reduction === null ? "neither" : "both";
  throw new InvalidInput(
    "target",
    "reductionPercent",
    `or targetValue is required, but not both (got ${got})`,
  );
}

function requireUniqueName({ name }: TargetContent, others: readonly TargetRow[]): void {
  if (!others.some((other) => other.name === name)) return;
  throw new ActionError("CONFLICT", "target", `A target named ${name} already exists.`, "name");
}

async function requireMetric(
  tenant: Parameters<typeof hasMetric>[0],
  { metric }: TargetContent,
): Promise<void> {
  if (metric === null || (await hasMetric(tenant, metric))) return;
  const fault = `must be the name of a business metric with values (got ${metric})`;
  throw new InvalidInput("target", "metric", fault);
}
