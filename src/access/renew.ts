import type { Database } from "../data/database/types.js";
import { findKey } from "../data/keys/keys.js";
import type { Scope } from "../domain/scopes.js";
import type { Principal } from "./principal.js";
import { REFUSALS, type Refusal, refuseKey } from "./refusals.js";
import { requireScopes } from "./require-scopes.js";
import { principalOfKey } from "./secrets/api-key.js";
import { renewPerson } from "./session.js";

/**
 * Reads a principal again from the database, which records a removal or sign-out before any cache does. Throws as the
 * principal's next request would: INVALID_KEY or UNAUTHENTICATED, and FORBIDDEN for a user who has lost the scope.
 */
export async function renewPrincipal(
  reader: Pick<Database, "select">,
  { id, person, organization }: Principal,
  now: Date,
  scope?: Scope,
): Promise<Principal> {
  const principal = await (person
    ? renewPerson(reader, person.session, organization.id, now)
    : renewKey(reader, id, now));
  if (scope !== undefined) requireScopes(principal, [[scope]]);
  return principal;
}

async function renewKey(reader: Pick<Database, "select">, id: string, now: Date): Promise<Principal> {
  const refuse = (reason: Refusal) => refuseKey(reason, REFUSALS[reason]);
  const key = await findKey(reader, id);
  if (key === null) throw refuse("unknown");
  if (key.revokedAt !== null) throw refuse("revoked");
  if (key.expiresAt !== null && key.expiresAt <= now) throw refuse("expired");
  return principalOfKey(key);
}
