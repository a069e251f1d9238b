import type { Database } from "../data/database/types.js";
import { findKey } from "../data/keys/keys.js";
import { findTokenById } from "../data/service-accounts/tokens.js";
import type { Scope } from "../domain/scopes.js";
import type { Principal, ServiceAccount } from "./principal.js";
import { REFUSALS, type Refusal, refuseKey } from "./refusals.js";
import { requireScopes } from "./require-scopes.js";
import { principalOfKey } from "./secrets/api-key.js";
import { findTokenFault, principalOfToken, refuseToken } from "./service-account.js";
import { renewPerson } from "./session.js";

/**
 * Reads a principal again from the database, because a cache may not yet know of a removal or sign-out. Throws
 * INVALID_KEY or UNAUTHENTICATED if the credential is no longer valid, and as `requireScopes` does without the scope.
 */
export async function renewPrincipal(
  reader: Pick<Database, "select">,
  former: Principal,
  now: Date,
  scope?: Scope,
): Promise<Principal> {
  const { id, person, serviceAccount, organization } = former;
  const principal = await (person
    ? renewPerson(reader, person.session, organization.id, now)
    : serviceAccount
      ? renewServiceAccount(reader, serviceAccount, former, now)
      : renewKey(reader, id, now));
  if (scope !== undefined) requireScopes(principal, [[scope]]);
  return principal;
}

/** Keeps the narrower scopes and the earlier expiry of a bearer token. */
async function renewServiceAccount(
  reader: Pick<Database, "select">,
  serviceAccount: ServiceAccount,
  { scopes }: Principal,
  now: Date,
): Promise<Principal> {
  const { token } = serviceAccount;
  const stored = await findTokenById(reader, token.id);
  if (stored === null) throw refuseToken("No service account has this token.");
  const fault = findTokenFault(stored, now) ?? findTokenFault({ revokedAt: null, ...token }, now);
  if (fault !== undefined) throw refuseToken(fault);
  const renewed = principalOfToken(stored);
  return { ...renewed, scopes: renewed.scopes.filter((scope) => scopes.includes(scope)), serviceAccount };
}

async function renewKey(reader: Pick<Database, "select">, id: string, now: Date): Promise<Principal> {
  const refuse = (reason: Refusal) => refuseKey(reason, REFUSALS[reason]);
  const key = await findKey(reader, id);
  if (key === null) throw refuse("unknown");
  if (key.revokedAt !== null) throw refuse("revoked");
  if (key.expiresAt !== null && key.expiresAt <= now) throw refuse("expired");
  return principalOfKey(key);
}
