import { displayKey, fingerprintPepper, generateKey, hashKey } from "../auth/key.js";
import type { Database } from "../data/database.js";
import { type CommandName, findReplacement } from "../data/key-events.js";
import {
  findKey,
  insertKey,
  type KeyChanges,
  listKeys,
  type NewKey,
  replaceKey,
  revokeKey,
  updateKey,
} from "../data/keys.js";
import { findOrganization } from "../data/organizations.js";
import type { Scope } from "../domain/scopes.js";
import type { Tier } from "../domain/tiers.js";
import { isUuid } from "../domain/uuid.js";
import { OperatorError } from "../errors.js";
import type { ApiKey } from "../generated/prisma/client.js";

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
 * Makes a key for an organization, by its slug. Throws OperatorError where there is none, or the expiry is past.
 * `command` is what the trail puts it down to.
 */
export async function createKey(
  context: KeyContext,
  request: KeyRequest,
  text = generateKey(),
  command: CommandName = "keys create",
): Promise<CreatedKey> {
  const { organization: slug, expiresAt } = request;
  if (expiresAt !== null && expiresAt <= context.now) {
    throw new OperatorError(`--expires-at must lie ahead, and is ${expiresAt.toISOString()}`, 2);
  }
  const organization = await requireOrganization(context.database, slug);
  const { key, row } = newKey(context, { ...request, organizationId: organization.id }, text);
  return describeCreated(key, slug, await insertKey(context.database, row, context.now, command));
}

/** Keys of an organization, oldest first. */
export async function listKeysOf(context: KeyContext, slug: string): Promise<KeyDescription[]> {
  const organization = await requireOrganization(context.database, slug);
  const keys = await listKeys(context.database, organization.id);
  return keys.map((key) => describe(key, slug, context.now));
}

/** Revokes a key for good. A key that is revoked already stays as it is. */
export async function revokeKeyById(context: KeyContext, id: string): Promise<KeyDescription> {
  await requireKey(context.database, id);
  await revokeKey(context.database, id, context.now);
  const { organization, ...key } = await requireKey(context.database, id);
  return describe(key, organization.slug, context.now);
}

/**
 * Makes a key of the same name, tier, scopes and expiry. The old one is revoked at once, or goes on for
 * `overlapHours`. Throws OperatorError where it is revoked or expired, or was replaced before: its expiry may be that of
 * an overlap.
 */
export async function rotateKey(context: KeyContext, id: string, overlapHours: number): Promise<CreatedKey> {
  const { database, now } = context;
  const old = await requireKey(database, id);
  const { status } = describe(old, old.organization.slug, now);
  if (status !== "active") throw new OperatorError(`The key ${id} is ${status}: create a new one instead.`);
  const replacement = await findReplacement(database, old.id);
  if (replacement !== undefined) {
    throw new OperatorError(`The key ${id} was replaced by ${replacement}: rotate that one instead.`);
  }
  const { key, row } = newKey(context, old, generateKey());
  const overlapEnd = new Date(now.getTime() + overlapHours * 3_600_000);
  const end = old.expiresAt !== null && old.expiresAt < overlapEnd ? old.expiresAt : overlapEnd;
  const ending = overlapHours === 0 ? { revokedAt: now } : { expiresAt: end };
  const created = await replaceKey(database, old, ending, row, now);
  if (!created) throw new OperatorError(`The key ${id} was changed meanwhile: look at it and try again.`);
  return describeCreated(key, old.organization.slug, created);
}

/** Changes name, tier or scopes of a key; it keeps what it has used of its budget. */
export async function changeKey(
  context: KeyContext,
  id: string,
  changes: KeyChanges,
): Promise<KeyDescription> {
  if (Object.keys(changes).length === 0) {
    throw new OperatorError("Nothing to change: give --tier, --scope or --name.", 2);
  }
  await requireKey(context.database, id);
  const { organization, ...key } = await updateKey(context.database, id, changes);
  return describe(key, organization.slug, context.now);
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

async function requireOrganization(database: Database, slug: string) {
  const organization = await findOrganization(database, slug);
  if (!organization) {
    throw new OperatorError(`There is no organization "${slug}". See: npm run gateway -- organizations list`);
  }
  return organization;
}

async function requireKey(database: Database, id: string) {
  const key = await findKey(database, requireKeyId(id));
  if (!key) throw new OperatorError(`There is no key with the id ${id}.`);
  return key;
}

/** Throws OperatorError where `id` is no UUID. */
export function requireKeyId(id: string): string {
  if (!isUuid(id)) {
    // What was given is not shown: it may be the key itself.
    throw new OperatorError(
      "A key is named by its id, a UUID, and what was given is none. See: npm run gateway -- keys list",
    );
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

function describe(key: ApiKey, slug: string, now: Date): KeyDescription {
  const expired = key.expiresAt !== null && key.expiresAt <= now;
  return {
    id: key.id,
    display: key.display,
    organization: slug,
    name: key.name,
    tier: key.tier,
    scopes: key.scopes,
    status: key.revokedAt !== null ? "revoked" : expired ? "expired" : "active",
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}
