import type { Cache } from "../data/cache/cache.js";
import { findCaller } from "../data/database/find-caller.js";
import type { Database } from "../data/database/types.js";
import type { RecordUse } from "../data/keys/key-uses.js";
import {
  findTokenByHash,
  findTokenById,
  type StoredToken,
  sizeOfToken,
  TOKEN_TABLES,
} from "../data/service-accounts/tokens.js";
import { ACCESS_TOKEN_PREFIX, SERVICE_TOKEN_PREFIX } from "../domain/keys/secrets.js";
import { SERVICE_SCOPES } from "../domain/people/roles.js";
import type { AppError } from "../errors.js";
import type { Caller, CountFailure } from "./authenticate.js";
import type { Principal } from "./principal.js";
import { type Resource, readAccessToken } from "./secrets/access-token.js";
import { isWellFormedKey, listHashes, type Pepper } from "./secrets/api-key.js";
import { countInvalid, unauthenticated } from "./session.js";

/** A cached token, with its principal; null for an unknown token. */
export type KnownToken = { readonly token: StoredToken; readonly principal: Principal } | null;

/** Returns the memory that a cached token takes, in bytes. */
export const sizeOfKnownToken = (known: KnownToken): number =>
  known === null ? 0 : sizeOfToken(known.token);

export interface ServiceAccountOptions {
  readonly database: Database;
  readonly tokens: Cache<KnownToken>;
  /** Peppers that tokens may have been hashed with. */
  readonly peppers: readonly Pepper[];
  readonly countFailure: CountFailure;
  /** Called for every use of an accepted token. */
  readonly recordUse: RecordUse;
}

/** Returns true if a bearer token is a service account's, not a session's. */
export const isServiceToken = (bearer: string): boolean =>
  bearer.startsWith(SERVICE_TOKEN_PREFIX) || bearer.startsWith(ACCESS_TOKEN_PREFIX);

export interface ServiceAccounts {
  /**
   * Returns the principal of a service account's token, or of a bearer token that was issued for one. Rejects with
   * UNAUTHENTICATED if it is invalid or limited to another resource, and with RATE_LIMIT_EXCEEDED after too many
   * failures from an address.
   */
  find(text: string, caller: Caller, resource?: Resource): Promise<Principal>;
  /** Finds a token by its text, even if it is revoked or expired; null if it is unknown. Counts no failures. */
  findToken(text: string, caller: Caller): Promise<KnownToken>;
}

/** Creates the functions that find and check service account tokens. */
export function createServiceAccounts(options: ServiceAccountOptions): ServiceAccounts {
  const { database, tokens, peppers, countFailure, recordUse } = options;
  const find = async (read: (reader: Pick<Database, "select">) => Promise<StoredToken | null>) => {
    const token = await findCaller(database, read);
    if (token === null) return { value: null, basis: null };
    const basis = {
      organizationId: token.organization.id,
      tables: TOKEN_TABLES,
      until: Number.POSITIVE_INFINITY,
    };
    return { value: { token, principal: principalOfToken(token) }, basis };
  };
  const refuse = async (reason: string, caller: Caller): Promise<never> => {
    await countInvalid(countFailure, caller);
    throw refuseToken(reason);
  };
  const findToken = async (text: string, caller: Caller): Promise<KnownToken> => {
    if (!text.startsWith(SERVICE_TOKEN_PREFIX) || !isWellFormedKey(text)) return null;
    const hashes = listHashes(text, peppers);
    return tokens.getOrCompute(hashes.join(), null, caller, () =>
      caller.inTime(() => find((reader) => findTokenByHash(reader, hashes))),
    );
  };
  const accept = (known: NonNullable<KnownToken>, caller: Caller): Principal | Promise<never> => {
    const { token, principal } = known;
    caller.record.principal = principal.log;
    const fault = findTokenFault(token, caller.now);
    if (fault !== undefined) return refuse(fault, caller);
    recordUse(token, caller.now);
    return principal;
  };
  const findByBearer = async (text: string, caller: Caller, resource: Resource): Promise<Principal> => {
    const claims = readAccessToken(text);
    if (!claims) return refuse("The bearer token is malformed.", caller);
    const { tokenId, accountId, scopes, expiresAt } = claims;
    const known = await tokens.getOrCompute(tokenId, null, caller, () =>
      caller.inTime(() => find((reader) => findTokenById(reader, tokenId))),
    );
    if (known?.token.account.id !== accountId || !claims.isAuthentic(known.token.hash, peppers)) {
      return refuse("The bearer token is invalid: no service account's token issued it.", caller);
    }
    if (expiresAt <= caller.now) return refuse("The bearer token has expired.", caller);
    if (claims.resource !== null && claims.resource !== resource) {
      return refuse("The bearer token is for another resource.", caller);
    }
    const { serviceAccount, ...principal } = await accept(known, caller);
    return {
      ...principal,
      scopes: principal.scopes.filter((scope) => scopes.includes(scope)),
      serviceAccount: serviceAccount && {
        ...serviceAccount,
        token: { ...serviceAccount.token, expiresAt },
      },
    };
  };
  return {
    findToken,
    async find(text, caller, resource = "api") {
      if (text.startsWith(ACCESS_TOKEN_PREFIX)) return findByBearer(text, caller, resource);
      const known = await findToken(text, caller);
      return known === null ? refuse("No service account has this token.", caller) : accept(known, caller);
    },
  };
}

/** Returns the message for a revoked or expired token; undefined for a valid one. */
export function findTokenFault(
  { revokedAt, expiresAt }: Pick<StoredToken, "revokedAt" | "expiresAt">,
  now: Date,
): string | undefined {
  if (revokedAt !== null) return "The service account or its token is revoked.";
  return expiresAt !== null && expiresAt <= now ? "The service account's token has expired." : undefined;
}

/** Creates UNAUTHENTICATED for an invalid token. */
export const refuseToken = (reason: string): AppError =>
  unauthenticated(reason, "Use another token: an admin of the organization can create one.");

/** Returns the principal of a service account's token. Its role limits its scopes. */
export function principalOfToken({ id, display, expiresAt, account, organization }: StoredToken): Principal {
  const { scopes, ...named } = account;
  return {
    id: account.id,
    organization,
    scopes: SERVICE_SCOPES[account.role].filter((scope) => scopes.includes(scope)),
    policy: `service ${organization.plan}`,
    tier: "enterprise",
    person: null,
    serviceAccount: { ...named, token: { id, display, expiresAt } },
    log: { service_account_id: account.id, token_id: id, organization: organization.id },
  };
}
