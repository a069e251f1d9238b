import type { Cache } from "../data/cache/cache.js";
import type { Database } from "../data/database/types.js";
import type { NoteUse } from "../data/keys/key-uses.js";
import {
  findTokenByHash,
  type StoredToken,
  sizeOfToken,
  TOKEN_TABLES,
} from "../data/service-accounts/tokens.js";
import { SERVICE_TOKEN_PREFIX } from "../domain/keys/text.js";
import { ROLE_SCOPES } from "../domain/people/roles.js";
import type { AppError } from "../errors.js";
import type { Caller } from "./authenticate.js";
import type { Principal } from "./principal.js";
import { isWellFormedKey, listHashes, type Pepper } from "./secrets/api-key.js";
import { tooManyFailures, unauthenticated } from "./session.js";

/** A cached token, with its principal; null for an unknown one. */
export type KnownToken = { readonly token: StoredToken; readonly principal: Principal } | null;

/** Returns the memory that a cached token takes, in bytes. */
export const sizeOfKnownToken = (known: KnownToken): number =>
  known === null ? 0 : sizeOfToken(known.token);

export interface ServiceAccountOptions {
  readonly database: Database;
  readonly tokens: Cache<KnownToken>;
  /** Peppers that tokens may have been hashed with. */
  readonly peppers: readonly Pepper[];
  /** Counts a failure of a client's address. Resolves to the seconds to wait after too many failures, else to null. */
  readonly countFailure: (address: string) => Promise<number | null>;
  /** Called for every use of an accepted token. */
  readonly noteUse: NoteUse;
}

/** Returns true if a bearer is a service account's, not a session's. */
export const isServiceToken = (bearer: string): boolean => bearer.startsWith(SERVICE_TOKEN_PREFIX);

/**
 * Returns the principal of a service account's token. Rejects with UNAUTHENTICATED if the token does not work, and with
 * RATE_LIMIT_EXCEEDED once an address has failed too often.
 */
export type FindServiceAccount = (text: string, caller: Caller) => Promise<Principal>;

/** Creates the one function that decides whether a token of a service account works. */
export function createFindServiceAccount(options: ServiceAccountOptions): FindServiceAccount {
  const { database, tokens, peppers, countFailure, noteUse } = options;
  const remember = (token: StoredToken | null) =>
    token === null
      ? { value: null, basis: null }
      : {
          value: { token, principal: principalOfToken(token) },
          basis: {
            organizationId: token.organization.id,
            tables: TOKEN_TABLES,
            until: Number.POSITIVE_INFINITY,
          },
        };
  const refuse = async (reason: string, caller: Caller): Promise<never> => {
    const secondsToWait = await countFailure(caller.address());
    throw secondsToWait === null ? refuseToken(reason) : tooManyFailures(secondsToWait);
  };
  return async (text, caller) => {
    if (!isWellFormedKey(text)) return refuse("The token of a service account is malformed.", caller);
    const hashes = listHashes(text, peppers);
    const known = await tokens.getOrCompute(hashes.join(), null, caller, () =>
      caller.inTime(async () => remember(await findTokenByHash(database, hashes))),
    );
    if (known === null) return refuse("There is no such token of a service account.", caller);
    const { token, principal } = known;
    caller.record.principal = principal.log;
    const fault = findTokenFault(token, caller.now);
    if (fault !== undefined) return refuse(fault, caller);
    noteUse(token, caller.now);
    return principal;
  };
}

/** Returns the reason why a token does not work at a time; undefined if it does. */
export function findTokenFault(
  { revokedAt, expiresAt }: Pick<StoredToken, "revokedAt" | "expiresAt">,
  now: Date,
): string | undefined {
  if (revokedAt !== null) return "The service account or its token was revoked.";
  return expiresAt !== null && expiresAt <= now ? "The token of the service account has expired." : undefined;
}

/** Creates UNAUTHENTICATED for a token that does not work. */
export const refuseToken = (reason: string): AppError =>
  unauthenticated(reason, "Use a token that works: an admin of the organization can create one.");

/** Returns the principal of a service account's token. Its role limits its scopes. */
export function principalOfToken({ id, display, expiresAt, account, organization }: StoredToken): Principal {
  const { scopes, ...named } = account;
  return {
    id: account.id,
    organization,
    scopes: ROLE_SCOPES[account.role].filter((scope) => scopes.includes(scope)),
    policy: `service ${organization.plan}`,
    tier: "enterprise",
    person: null,
    serviceAccount: { ...named, token: { id, display, expiresAt } },
    log: { service_account_id: account.id, token_id: id, organization: organization.id },
  };
}
