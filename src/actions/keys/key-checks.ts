import type { CommandName, Writer } from "../../data/database/transaction.js";
import type { Database, SqlSession } from "../../data/database/types.js";
import type { KeyRow } from "../../data/keys/keys.js";
import { listActiveKeys } from "../../data/keys/own-keys.js";
import type { KeyChanges } from "../../data/keys/write-keys.js";
import {
  MAX_DAYS_BY_SERVICE_ACCOUNT,
  MAX_KEY_NAME,
  MAX_KEYS,
  OVERLAP_HOURS,
} from "../../domain/keys/key-limits.js";
import { KEY_SCOPES, type Scope } from "../../domain/scopes.js";
import { TIERS, type Tier } from "../../domain/tiers.js";
import { ActionError, InvalidInput, type Subject } from "../action-error.js";
import {
  type ActorContext,
  describeCaller,
  requireConfirmedAndRecent as requireOfCaller,
} from "../actor-context.js";
import { readName } from "../read-text.js";

/** Dependencies of the actions on API keys and service accounts. */
export interface KeyContext<Caller extends ActorContext = ActorContext> {
  readonly database: Database;
  /** Secret for hashing new keys and tokens. */
  readonly pepper: string | undefined;
  readonly now: Date;
  /**
   * The caller's request, for the active organization. Undefined for an operator's command, which may change the keys
   * and accounts of any organization and needs no password.
   */
  readonly caller?: Caller;
}

/** The part of a context needed to read a row, even in a transaction. */
export type KeyReading = Pick<KeyContext, "caller"> & { readonly database: Pick<Database, "select"> };

/** Returns the dependencies of the actions for a caller's request. */
export function keyContextOf<Caller extends ActorContext>(caller: Caller): KeyContext<Caller> {
  const { resources, now } = caller;
  return { database: resources.database, pepper: resources.pepper, now, caller };
}

/** Returns the caller's id; null for a command. */
export const creatorOf = ({ caller }: Pick<KeyContext, "caller">): string | null =>
  caller?.writer.actor.id ?? null;

/** Returns the caller's name for notifications. */
export const nameCaller = ({ caller }: Pick<KeyContext, "caller">): string =>
  caller ? describeCaller(caller) : "an operator's command";

/** Returns the writer for the audit trails. */
export const writerOf = ({ caller }: KeyContext, command: CommandName): Writer => caller?.writer ?? command;

/** Returns a key's name without surrounding spaces. Throws InvalidInput. */
export const readKeyName = (text: string): string => readName("key", text, MAX_KEY_NAME);

/** Throws InvalidInput unless there is at least one scope and keys can have all of them. */
export function requireKeyScopes(scopes: readonly string[]): void {
  const unknown = scopes.find((scope) => !KEY_SCOPES.some((known) => known === scope));
  if (scopes.length > 0 && unknown === undefined) return;
  const got = unknown ?? "none";
  throw new InvalidInput("key", "scopes", `must be one or more of ${KEY_SCOPES.join(", ")} (got ${got})`);
}

const END_OF_TIME = new Date("+010000-01-01T00:00:00Z");

/** Throws InvalidInput unless an expiry is null, for never, or in the future and before the year 10000. */
export function requireFuture(expiresAt: Date | null, now: Date): void {
  if (expiresAt !== null && expiresAt >= END_OF_TIME) {
    throw new InvalidInput(
      "key",
      "expiresAt",
      `must be before the year 10000 (got ${expiresAt.toISOString()})`,
    );
  }
  if (expiresAt === null || expiresAt > now) return;
  throw new InvalidInput("key", "expiresAt", `must be in the future (got ${expiresAt.toISOString()})`);
}

const isAbove = (tier: Tier, plan: Tier) => TIERS.indexOf(tier) > TIERS.indexOf(plan);

/** Throws InvalidInput if a tier is above the organization's plan. */
export function requireWithinPlan(tier: Tier, plan: Tier): void {
  if (!isAbove(tier, plan)) return;
  throw new InvalidInput("key", "tier", `must be at most the organization's plan, ${plan} (got ${tier})`);
}

/** Throws CONFLICT if the organization's plan no longer has the tier of a key. */
export function requireTierInPlan({ tier, organization: { plan } }: KeyRow): void {
  if (!isAbove(tier, plan)) return;
  refuseState(`The key's tier, ${tier}, is above the organization's plan, ${plan}: lower the tier first.`);
}

/** Throws InvalidInput unless `hours` is one of the offered overlaps. */
export function requireOverlap(subject: Subject, hours: number): void {
  if (OVERLAP_HOURS.includes(hours)) return;
  const max = OVERLAP_HOURS.at(-1);
  throw new InvalidInput(
    subject,
    "overlapHours",
    `must be ${OVERLAP_HOURS.slice(0, -1).join(", ")} or ${max} (got ${hours})`,
  );
}

/**
 * Throws EMAIL_NOT_CONFIRMED if a user's address must be confirmed, and REAUTHENTICATION_REQUIRED if the user last
 * authenticated too long ago for a sensitive action. A command passes.
 */
export function requireConfirmedAndRecent({ caller }: KeyContext): void {
  if (caller) requireOfCaller(caller);
}

/**
 * Throws InvalidInput if a service account creates or widens a key that never expires, expires later than in 90 days,
 * or has a scope that the account lacks.
 */
export function requireWithinCaller(
  { caller, now }: KeyContext,
  { scopes, expiresAt }: { readonly scopes: readonly Scope[]; readonly expiresAt: Date | null },
): void {
  if (!caller?.principal.serviceAccount) return;
  const { scopes: held } = caller.principal;
  const lacking = scopes.find((scope) => !held.includes(scope));
  if (lacking !== undefined) {
    throw new InvalidInput("key", "scopes", `must be scopes that the service account has (got ${lacking})`);
  }
  const latest = now.getTime() + MAX_DAYS_BY_SERVICE_ACCOUNT * 86_400_000;
  if (expiresAt !== null && expiresAt.getTime() <= latest) return;
  throw new InvalidInput(
    "key",
    "expiresAt",
    `must be within ${MAX_DAYS_BY_SERVICE_ACCOUNT} days for a service account (got ${expiresAt?.toISOString() ?? "never"})`,
  );
}

/** Returns true if changes let a key do more or work longer. */
export function isWidening(old: KeyRow, { tier, scopes, expiresAt }: KeyChanges): boolean {
  if (tier !== undefined && isAbove(tier, old.tier)) return true;
  if (scopes?.some((scope) => !old.scopes.includes(scope))) return true;
  if (expiresAt === undefined || old.expiresAt === null) return false;
  return expiresAt === null || expiresAt > old.expiresAt;
}

/** A change to check against the organization's active keys. */
interface Room {
  readonly organizationId: string;
  readonly now: Date;
  /** Null if the name is not new. */
  readonly name: string | null;
  /** True if the number of active keys grows. */
  readonly isMore: boolean;
  /** The key's id, unless it is new. */
  readonly ownId?: string;
}

/**
 * Throws CONFLICT if the organization has the maximum number of active keys, or an active key with this name. The keys
 * must be locked.
 */
export async function requireRoom(
  sql: SqlSession,
  { organizationId, now, name, isMore, ownId }: Room,
): Promise<void> {
  const active = await listActiveKeys(sql, organizationId, now);
  if (isMore && active.length >= MAX_KEYS) {
    refuseState(`The organization already has ${MAX_KEYS} active keys, the maximum. Revoke one first.`);
  }
  // A replaced key shares its name with its replacement.
  if (!active.some((key) => key.name === name && !key.isReplaced && key.id !== ownId)) return;
  throw new ActionError("CONFLICT", "key", `The organization already has a key named "${name}".`, "name");
}

/** Throws CONFLICT for a change that the state of a key does not allow. */
export function refuseState(message: string): never {
  throw new ActionError("CONFLICT", "key", message);
}
