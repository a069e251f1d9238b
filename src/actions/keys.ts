import { fingerprintPepper, generateKey, hashKey } from "../access/api-key.js";
import type { Writer } from "../data/database/transaction.js";
import type { Database } from "../data/database/types.js";
import { findReplacement, listReplacements } from "../data/keys/key-events.js";
import { type KeyRow, listKeys as listRows } from "../data/keys/keys.js";
import {
  type AddedKey,
  insertKey,
  type KeyChanges,
  type NewKey,
  replaceKey,
  revokeKey,
  updateKey,
} from "../data/keys/write-keys.js";
import { findOrganization } from "../data/organizations/organizations.js";
import { displayKey } from "../domain/key-text.js";
import type { Scope } from "../domain/scopes.js";
import type { Tier } from "../domain/tiers.js";
import { ActionError, InvalidInput } from "./action-error.js";
import { type KeySummary, requireKey, requireKeySummary, statusOf, summarizeKey } from "./key-summary.js";
import { readName } from "./names.js";
import { refuseUnknown } from "./organizations.js";

/** What actions on keys need. */
export interface KeyContext {
  readonly database: Database;
  /** Hashes of new keys are made with it. */
  readonly pepper: string | undefined;
  readonly now: Date;
}

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
 * Creates a key. Throws InvalidInput for a bad name or an expiry in the past, and ActionError for an unknown organization.
 * The audit trail names `writer` as its origin.
 */
export async function createKey(
  context: KeyContext,
  request: KeyRequest,
  text = generateKey(),
  writer: Writer = "keys create",
): Promise<CreatedKey> {
  const { organization: slug, expiresAt } = request;
  const name = readName("key", request.name);
  requireFuture(expiresAt, context.now);
  const organization = (await findOrganization(context.database, slug)) ?? refuseUnknown(slug);
  const row = createRow(context, { ...request, name, organizationId: organization.id }, text);
  return describeCreated(text, slug, await insertKey(context.database, row, context.now, writer));
}

/** The keys of an organization by its slug, or of all organizations; oldest first. Throws ActionError for an unknown slug. */
export async function listKeys(
  { database, now }: KeyContext,
  slug: string | undefined,
): Promise<KeySummary[]> {
  const organization =
    slug === undefined ? undefined : ((await findOrganization(database, slug)) ?? refuseUnknown(slug));
  const keys = await listRows(database, organization?.id);
  const replacements = await listReplacements(database, organization?.id);
  return keys.map((key) => summarizeKey(key, now, replacements.get(key.id)));
}

/** Revokes a key for good; a revoked key stays as it is. Throws ActionError for an unknown id. */
export async function revokeKeyById({ database, now }: KeyContext, id: string): Promise<KeySummary> {
  await requireKey(database, id);
  await revokeKey(database, id, now);
  return requireKeySummary(database, id, now);
}

/**
 * Creates a key with the same name, tier, scopes and expiry. The old key is revoked at once, or works for another
 * `overlapHours`. Throws ActionError if the old key is unknown, revoked, expired, or was replaced before: its expiry may
 * then be the end of an overlap.
 */
export async function rotateKey(context: KeyContext, id: string, overlapHours: number): Promise<CreatedKey> {
  const { database, now } = context;
  const old = await requireKey(database, id);
  const status = statusOf(old, now);
  if (status !== "active") refuseState(`The key ${id} is ${status}: create a new one instead.`);
  const replacement = await findReplacement(database, old.id);
  if (replacement !== undefined) {
    refuseState(`The key ${id} was replaced by ${replacement}: rotate that one instead.`);
  }
  const text = generateKey();
  const row = createRow(context, { ...old, organizationId: old.organization.id }, text);
  const created = await replaceKey(database, old, endOfOld(old, now, overlapHours), row, now);
  if (!created) refuseState(`The key ${id} was changed at the same time: check it and try again.`);
  return describeCreated(text, old.organization.slug, created);
}

/**
 * Changes the name, tier, scopes or expiry of a key; what it has used of its limit stays. Throws InvalidInput for a bad name
 * or an expiry in the past, and ActionError for an unknown id, no changes, or a new expiry of a revoked key.
 */
export async function changeKey(
  { database, now }: KeyContext,
  id: string,
  changes: KeyChanges,
): Promise<KeySummary> {
  if (Object.keys(changes).length === 0) {
    throw new InvalidInput("key", null, "Nothing to change: give a new tier, scopes, name or expiry.");
  }
  const name = changes.name === undefined ? {} : { name: readName("key", changes.name) };
  requireFuture(changes.expiresAt ?? null, now);
  const old = await requireKey(database, id);
  if (changes.expiresAt !== undefined && old.revokedAt !== null) {
    refuseState(`The key ${id} is revoked for good: create a new one instead.`);
  }
  await updateKey(database, id, { ...changes, ...name });
  return requireKeySummary(database, id, now);
}

function requireFuture(expiresAt: Date | null, now: Date): void {
  if (expiresAt === null || expiresAt > now) return;
  throw new InvalidInput("key", "expiresAt", `must be in the future (got ${expiresAt.toISOString()})`);
}

function refuseState(message: string): never {
  throw new ActionError("CONFLICT", "key", message);
}

function createRow(
  { pepper }: KeyContext,
  request: Omit<NewKey, "hash" | "pepper" | "display" | "scopes"> & { scopes: readonly string[] },
  text: string,
): NewKey {
  const { organizationId, name, tier, scopes, expiresAt } = request;
  return {
    ...{ organizationId, name, tier, expiresAt },
    scopes: [...new Set(scopes)] as Scope[],
    hash: hashKey(text, pepper),
    pepper: fingerprintPepper(pepper),
    display: displayKey(text),
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
