import { fingerprintPepper, generateKey, hashKey } from "../access/api-key.js";
import { type CommandName, write } from "../data/database/transaction.js";
import type { SqlSession } from "../data/database/types.js";
import { type KeyRow, listKeys as listRows } from "../data/keys/keys.js";
import {
  type AddedKey,
  insertKey,
  type KeyChanges,
  lockKeys,
  type NewKey,
  replaceKey,
  revokeKey,
  updateKey,
} from "../data/keys/write-keys.js";
import { findOrganization } from "../data/organizations/organizations.js";
import { displayKey } from "../domain/key-text.js";
import type { Scope } from "../domain/scopes.js";
import type { Tier } from "../domain/tiers.js";
import { InvalidInput, requireValid, requireVersion } from "./action-error.js";
import {
  isWidening,
  type KeyContext,
  readKeyName,
  refuseState,
  requireConfirmed,
  requireFuture,
  requireKeyScopes,
  requireOverlap,
  requirePlanned,
  requireRoom,
  requireWithinPlan,
  writerOf,
} from "./key-rules.js";
import { type KeySummary, requireKey, requireKeySummary, statusOf, summarizeKey } from "./key-summary.js";
import { refuseUnknown } from "./organizations.js";

/** A new key with its secret, which cannot be read again. */
export interface CreatedKey {
  readonly id: string;
  readonly key: string;
  /** The organization's slug. */
  readonly organization: string;
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
}

export interface KeyRequest {
  /** The organization's slug. */
  readonly organization: string;
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  /** Null for a key that never expires. */
  readonly expiresAt: Date | null;
}

/**
 * Creates a key. Throws InvalidInput for what is wrong with the request, and ActionError for an unknown organization. For a
 * person it also throws ActionError if the organization has such a name or as many keys as it may, and
 * REAUTHENTICATION_REQUIRED. The audit trail names `command` as its origin if no person asks.
 */
export async function createKey(
  context: KeyContext,
  request: KeyRequest,
  text = generateKey(),
  command: CommandName = "keys create",
): Promise<CreatedKey> {
  const { database, now } = context;
  const { organization: slug, scopes, tier, expiresAt } = request;
  const { id: organizationId, plan } = (await findOrganization(database, slug)) ?? refuseUnknown(slug);
  requireValid(
    () => readKeyName(context, request.name),
    () => requireWithinPlan(tier, plan),
    () => requireKeyScopes(scopes),
    () => requireFuture(expiresAt, now),
  );
  requireConfirmed(context);
  const name = readKeyName(context, request.name);
  const row = createRow(context, { ...request, name, organizationId }, text);
  const added = await write(database, writerOf(context, command), async (sql) => {
    await lockKeys(sql, organizationId);
    await requireRoom(context, sql, { name, isMore: true });
    return insertKey(sql, row);
  });
  return describeCreated(text, slug, added);
}

/** The keys of an organization by its slug, or of all organizations; oldest first. Throws ActionError for an unknown slug. */
export async function listKeys(
  { database, now }: KeyContext,
  slug: string | undefined,
): Promise<KeySummary[]> {
  const organization =
    slug === undefined ? undefined : ((await findOrganization(database, slug)) ?? refuseUnknown(slug));
  const keys = await listRows(database, organization?.id);
  return keys.map((key) => summarizeKey(key, now));
}

/**
 * Revokes a key for good; a revoked key stays as it is. Throws ActionError for an unknown id, and for another version than
 * the expected one.
 */
export async function revokeKeyById(
  context: KeyContext,
  id: string,
  expectedVersion?: number | null,
): Promise<KeySummary> {
  await changeLocked(context, "keys revoke", id, async (sql, key) => {
    if (key.revokedAt !== null) return;
    requireVersion("key", key.version, expectedVersion);
    await revokeKey(sql, key.id, context.now, context.acting === undefined);
  });
  return requireKeySummary(context, id);
}

/**
 * Creates a key with the same name, tier, scopes and expiry. The old key is revoked at once, or works for another
 * `overlapHours`. Throws ActionError if the old key is unknown, revoked, expired, or was replaced before: its expiry may
 * then be the end of an overlap. For a person it also throws REAUTHENTICATION_REQUIRED.
 */
export async function rotateKey(
  context: KeyContext,
  id: string,
  overlapHours: number,
  expectedVersion?: number | null,
): Promise<CreatedKey> {
  const { now } = context;
  requireOverlap(context, overlapHours);
  return changeLocked(
    context,
    "keys rotate",
    id,
    async (sql, old) => {
      requireVersion("key", old.version, expectedVersion);
      const status = statusOf(old, now);
      if (status !== "active") refuseState(`The key ${id} is ${status}: create a new one instead.`);
      if (old.replacedBy !== null) {
        refuseState(`The key ${id} was replaced by ${old.replacedBy}: rotate that one instead.`);
      }
      requirePlanned(old);
      requireConfirmed(context);
      await requireRoom(context, sql, { name: null, isMore: overlapHours > 0 });
      const text = generateKey();
      const row = createRow(context, { ...old, organizationId: old.organization.id }, text);
      const created = await replaceKey(sql, old.id, endOfOld(old, now, overlapHours), row);
      return describeCreated(text, old.organization.slug, created);
    },
    "api_key.rotated",
  );
}

/**
 * Changes the name, tier, scopes or expiry of a key; what it has used of its limit stays. Throws InvalidInput for what is
 * wrong with them, and ActionError for an unknown id, another version than the expected one, and a new expiry of a revoked
 * key. For a person it also throws ActionError for what `createKey` refuses and for a longer overlap, and
 * REAUTHENTICATION_REQUIRED if the key can then do more.
 */
export async function changeKey(
  context: KeyContext,
  id: string,
  changes: KeyChanges,
  expectedVersion?: number | null,
): Promise<KeySummary> {
  if (Object.keys(changes).length === 0) {
    throw new InvalidInput("key", null, "Nothing to change: give a new tier, scopes, name or expiry.");
  }
  const { name, tier, scopes, expiresAt } = changes;
  const { plan } = await requireKey(context, id);
  requireValid(
    () => name !== undefined && readKeyName(context, name),
    () => tier !== undefined && requireWithinPlan(tier, plan),
    () => scopes !== undefined && requireKeyScopes(scopes),
    () => requireFuture(expiresAt ?? null, context.now),
  );
  const read = { ...changes, ...(name !== undefined && { name: readKeyName(context, name) }) };
  await changeLocked(context, "keys update", id, async (sql, old) => {
    requireVersion("key", old.version, expectedVersion);
    await requireChangeable(context, sql, old, read);
    await updateKey(sql, old.id, read);
  });
  return requireKeySummary(context, id);
}

/** Throws if the state of a key, the organization's other keys or the time of a person's password do not allow changes. */
async function requireChangeable(
  context: KeyContext,
  sql: SqlSession,
  old: KeyRow,
  changes: KeyChanges,
): Promise<void> {
  const { id, revokedAt } = old;
  const { name = old.name, expiresAt } = changes;
  if (expiresAt !== undefined && revokedAt !== null) {
    refuseState(`The key ${id} is revoked for good: create a new one instead.`);
  }
  const wasLiving = statusOf(old, context.now) === "active";
  const isLiving = wasLiving || (expiresAt !== undefined && revokedAt === null);
  const isWider = isWidening(old, changes);
  if (context.acting && isWider && expiresAt !== undefined && old.replacedBy !== null) {
    refuseState(`The key ${id} was replaced by ${old.replacedBy}: use that one.`);
  }
  if (isWider) requireConfirmed(context);
  if (isLiving && (!wasLiving || name !== old.name)) {
    await requireRoom(context, sql, { name, isMore: !wasLiving }, id);
  }
}

/** Changes a key, while nobody else changes a key of its organization. */
async function changeLocked<T>(
  context: KeyContext,
  command: CommandName,
  id: string,
  change: (sql: SqlSession, key: KeyRow) => Promise<T>,
  action?: "api_key.rotated",
): Promise<T> {
  const { organization } = await requireKey(context, id);
  return write(
    context.database,
    writerOf(context, command),
    async (sql) => {
      await lockKeys(sql, organization.id);
      return change(sql, await requireKey({ ...context, database: { select: sql.query } }, id));
    },
    action,
  );
}

function createRow(
  { pepper, now, acting }: KeyContext,
  request: Pick<NewKey, "organizationId" | "name" | "tier" | "expiresAt"> & { scopes: readonly string[] },
  text: string,
): NewKey {
  const { organizationId, name, tier, scopes, expiresAt } = request;
  return {
    ...{ organizationId, name, tier, expiresAt },
    scopes: [...new Set(scopes)] as Scope[],
    hash: hashKey(text, pepper),
    pepper: fingerprintPepper(pepper),
    display: displayKey(text),
    createdAt: now,
    createdBy: acting?.person.user.id ?? null,
  };
}

/** How a rotation ends the old key: revoked now, or expired after the overlap unless it expires before. */
function endOfOld({ expiresAt }: KeyRow, now: Date, overlapHours: number) {
  if (overlapHours === 0) return { revokedAt: now };
  const overlapEnd = new Date(now.getTime() + overlapHours * 3_600_000);
  return { expiresAt: expiresAt !== null && expiresAt < overlapEnd ? expiresAt : overlapEnd };
}

function describeCreated(key: string, organization: string, row: AddedKey): CreatedKey {
  const { id, name, tier, scopes, expiresAt } = row;
  return { id, key, organization, name, tier, scopes, expiresAt };
}
