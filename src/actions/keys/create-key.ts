import { generateKey } from "../../access/secrets/api-key.js";
import { write } from "../../data/database/transaction.js";
import { insertKey } from "../../data/keys/write-keys.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import type { Scope } from "../../domain/scopes.js";
import type { Tier } from "../../domain/tiers.js";
import { requireValid } from "../action-error.js";
import { requireOrganization } from "../people/organizations.js";
import {
  type KeyContext,
  readKeyName,
  requireConfirmedAndRecent,
  requireFuture,
  requireKeyScopes,
  requireRoom,
  requireWithinCaller,
  requireWithinPlan,
  writerOf,
} from "./key-checks.js";
import { type CreatedKey, createRow, describeCreated, notifyOfKey } from "./new-key.js";

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
 * Creates a key. Throws InvalidInput for every fault of the request. Throws ActionError if the organization is unknown,
 * has an active key with the name, or has the maximum number of keys. For a user, it also throws EMAIL_NOT_CONFIRMED
 * and REAUTHENTICATION_REQUIRED.
 */
export async function createKey(context: KeyContext, request: KeyRequest): Promise<CreatedKey> {
  const { database, now } = context;
  const { organization: slug, scopes, tier, expiresAt } = request;
  const { id: organizationId, plan } = await requireOrganization(database, slug);
  const [name] = requireValid(
    () => readKeyName(request.name),
    () => requireWithinPlan(tier, plan),
    () => requireKeyScopes(scopes),
    () => requireFuture(expiresAt, now),
    () => requireWithinCaller(context, request),
  );
  requireConfirmedAndRecent(context);
  const text = generateKey();
  const row = createRow(context, { ...request, name, organizationId }, text);
  const added = await write(database, writerOf(context, "keys create"), async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    await requireRoom(sql, { organizationId, now, name, isMore: true });
    const key = await insertKey(sql, row);
    await notifyOfKey(sql, context, organizationId, key);
    return key;
  });
  return describeCreated(text, slug, added);
}
