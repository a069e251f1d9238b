import { fingerprintPepper, generateKey, hashKey } from "../access/api-key.js";
import type { Database } from "../data/database/types.js";
import { type CommandName, findReplacement, listReplacements } from "../data/keys/key-events.js";
import {
  findKey,
  insertKey,
  type KeyChanges,
  type KeyRow,
  listKeys,
  type NewKey,
  replaceKey,
  revokeKey,
  updateKey,
} from "../data/keys/keys.js";
import { findOrganization } from "../data/organizations/organizations.js";
import { displayKey } from "../domain/key-text.js";
import type { Scope } from "../domain/scopes.js";
import type { Tier } from "../domain/tiers.js";
import { isUuid } from "../domain/uuid.js";
import { OperatorError } from "../errors.js";
import type { ApiKey } from "../generated/prisma/client.js";
import { refuseUnknown } from "./organizations.js";

/** What the commands on keys work with. */
export interface KeyContext {
  readonly database: Database;
  readonly pepper: string | undefined;
  readonly now: Date;
}

/** A key as the commands print it; nothing in it is secret. */
export interface KeyDescription {
  readonly id: string;
  readonly display: string;
  readonly organization: string;
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly string[];
  readonly status: "active" | "revoked" | "expired";
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
  /** The id of the key that a rotation put in its place. */
  readonly replaced_by: string | null;
}

/** A key that was just made: the one time it is shown. */
export interface CreatedKey {
  readonly id: string;
  readonly key: string;
  readonly organization: string;
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
}

export interface KeyRequest {
  readonly organization: string;
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/**
 * Makes a key for an organization, by its slug. Throws OperatorError if there is none, or the expiry is past.
 * `command` is what the audit trail names as its origin.
 */
export async function createKey(
  context: KeyContext,
  request: KeyRequest,
  text = generateKey(),
  command: CommandName = "keys create",
): Promise<CreatedKey> {
  const { organization: slug, expiresAt } = request;
  requireFuture(expiresAt, context.now);
  const organization = (await findOrganization(context.database, slug)) ?? refuseUnknown(slug);
  const { key, row } = newKey(context, { ...request, organizationId: organization.id }, text);
  return describeCreated(key, slug, await insertKey(context.database, row, context.now, command));
}

/** Keys of an organization, by its slug, or of all of them, oldest first. */
export async function listKeysOf(
  { database, now }: KeyContext,
  slug: string | undefined,
): Promise<KeyDescription[]> {
  const organization =
    slug === undefined ? undefined : ((await findOrganization(database, slug)) ?? refuseUnknown(slug));
  const keys = await listKeys(database, organization?.id);
  const replacements = await listReplacements(database, organization?.id);
  return keys.map((key) => describe(key, now, replacements.get(key.id)));
}

/** Revokes a key for good. A key that is revoked already stays as it is. */
export async function revokeKeyById({ database, now }: KeyContext, id: string): Promise<KeyDescription> {
  await requireKey(database, id);
  await revokeKey(database, id, now);
  return describe(await requireKey(database, id), now, await findReplacement(database, id));
}

/**
 * Makes a key of the same name, tier, scopes and expiry. The old one is revoked at once, or keeps working for
 * `overlapHours`. Throws OperatorError if it is revoked or expired, or was replaced before: its expiry may be that of
 * an overlap.
 */
export async function rotateKey(context: KeyContext, id: string, overlapHours: number): Promise<CreatedKey> {
  const { database, now } = context;
  const old = await requireKey(database, id);
  const status = statusOf(old, now);
  if (status !== "active") throw new OperatorError(`The key ${id} is ${status}: create a new one instead.`);
  const replacement = await findReplacement(database, old.id);
  if (replacement !== undefined) {
    throw new OperatorError(`The key ${id} was replaced by ${replacement}: rotate that one instead.`);
  }
  const { key, row } = newKey(context, { ...old, organizationId: old.organization.id }, generateKey());
  const overlapEnd = new Date(now.getTime() + overlapHours * 3_600_000);
  const end = old.expiresAt !== null && old.expiresAt < overlapEnd ? old.expiresAt : overlapEnd;
  const ending = overlapHours === 0 ? { revokedAt: now } : { expiresAt: end };
  const created = await replaceKey(database, old, ending, row, now);
  if (!created) throw new OperatorError(`The key ${id} was changed meanwhile: look at it and try again.`);
  return describeCreated(key, old.organization.slug, created);
}

/**
 * Changes name, tier, scopes or expiry of a key; it keeps what it has used of its limit. Throws OperatorError if nothing
 * is to change, the expiry is past, or the key is revoked and is to expire at another time.
 */
export async function changeKey(
  { database, now }: KeyContext,
  id: string,
  changes: KeyChanges,
): Promise<KeyDescription> {
  if (Object.keys(changes).length === 0) {
    throw new OperatorError("Nothing to change: give --tier, --scope, --name or --expires-at.", 2);
  }
  const { expiresAt } = changes;
  requireFuture(expiresAt ?? null, now);
  const old = await requireKey(database, id);
  if (expiresAt !== undefined && old.revokedAt !== null) {
    throw new OperatorError(`The key ${id} is revoked for good: create a new one instead.`);
  }
  await updateKey(database, id, changes);
  return describe(await requireKey(database, id), now, await findReplacement(database, id));
}

function requireFuture(expiresAt: Date | null, now: Date): void {
  if (expiresAt === null || expiresAt > now) return;
  throw new OperatorError(`--expires-at must be in the future (got ${expiresAt.toISOString()}).`, 2);
}

function newKey(
  { pepper }: KeyContext,
  request: Omit<NewKey, "hash" | "pepper" | "display" | "scopes"> & { scopes: readonly string[] },
  key: string,
) {
  const { organizationId, name, tier, scopes, expiresAt } = request;
  const row: NewKey = {
    ...{ organizationId, name, tier, expiresAt },
    scopes: [...new Set(scopes)] as Scope[],
    hash: hashKey(key, pepper),
    pepper: fingerprintPepper(pepper),
    display: displayKey(key),
  };
  return { key, row };
}

async function requireKey(database: Database, id: string) {
  const key = await findKey(database, requireKeyId(id));
  if (!key) throw new OperatorError(`There is no key with the id ${id}.`);
  return key;
}

/** Throws OperatorError if `id` is not a UUID. */
export function requireKeyId(id: string): string {
  if (!isUuid(id)) {
    // What was given is not shown: it may be the key itself.
    throw new OperatorError("Expected a key's id, which is a UUID. See: npm run gateway -- keys list");
  }
  return id.toLowerCase();
}

function describeCreated(key: string, slug: string, row: ApiKey): CreatedKey {
  return {
    id: row.id,
    key,
    organization: slug,
    name: row.name,
    tier: row.tier,
    scopes: row.scopes,
    expires_at: row.expiresAt?.toISOString() ?? null,
  };
}

function statusOf({ revokedAt, expiresAt }: KeyRow, now: Date): KeyDescription["status"] {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}

function describe(key: KeyRow, now: Date, replacement: string | undefined): KeyDescription {
  return {
    id: key.id,
    display: key.display,
    organization: key.organization.slug,
    name: key.name,
    tier: key.tier,
    scopes: key.scopes,
    status: statusOf(key, now),
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    replaced_by: replacement ?? null,
  };
}
