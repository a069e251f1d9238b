import { fingerprintPepper, hashKey } from "../../access/secrets/api-key.js";
import type { SqlSession } from "../../data/database/types.js";
import type { AddedKey, NewKey } from "../../data/keys/write-keys.js";
import { displayKey } from "../../domain/keys/secrets.js";
import type { Scope } from "../../domain/scopes.js";
import type { Tier } from "../../domain/tiers.js";
import { notifyOfSecurity } from "../notifications/security.js";
import { creatorOf, type KeyContext, nameCaller } from "./key-checks.js";

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

/** Creates the row of a new key, which stores only a hash of the key. */
export function createRow(
  context: Omit<KeyContext, "database">,
  request: Pick<NewKey, "organizationId" | "name" | "tier" | "scopes" | "expiresAt">,
  text: string,
): NewKey {
  const { pepper, now } = context;
  const { organizationId, name, tier, scopes, expiresAt } = request;
  return {
    organizationId,
    name,
    tier,
    expiresAt,
    scopes: [...new Set<Scope>(scopes)],
    hash: hashKey(text, pepper),
    pepper: fingerprintPepper(pepper),
    display: displayKey(text),
    createdAt: now,
    createdBy: creatorOf(context),
  };
}

/** Notifies the members who manage an organization's keys of a new key. */
export const notifyOfKey = (
  sql: SqlSession,
  context: Pick<KeyContext, "caller" | "now">,
  organizationId: string,
  { id, name }: AddedKey,
): Promise<void> =>
  notifyOfSecurity(sql, {
    organizationId,
    to: { membersWith: "manage:keys" },
    key: `key ${id}`,
    now: context.now,
    title: `API key "${name}" created`,
    summary: "An API key of your organization was created",
    body: `By ${nameCaller(context)}.`,
    link: "/console/settings/api-keys",
  });

/** Returns the new key. This is the only response that includes its secret. */
export function describeCreated(key: string, organization: string, row: AddedKey): CreatedKey {
  const { id, name, tier, scopes, expiresAt } = row;
  return { id, key, organization, name, tier, scopes, expiresAt };
}
