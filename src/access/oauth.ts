import type { Scope } from "../domain/scopes.js";
import { isUuid } from "../domain/texts/uuid.js";
import type { Site } from "../http/site.js";
import type { Caller, CountFailure } from "./authenticate.js";
import type { Principal } from "./principal.js";
import { RESOURCES, type Resource, writeAccessToken } from "./secrets/access-token.js";
import type { Pepper } from "./secrets/api-key.js";
import { findTokenFault, type ServiceAccounts } from "./service-account.js";
import { countInvalid } from "./session.js";

/** Lifetime of a bearer token. It expires earlier if its service account token does. */
const LIFETIME_MS = 15 * 60_000;

/** Client credentials: a service account's id, and one of its tokens. */
export interface Client {
  readonly id: string;
  readonly secret: string;
}

/** The service account that client credentials belong to. */
export interface AuthenticatedClient {
  readonly principal: Principal;
  /** Hash of the token it sent. */
  readonly tokenHash: string;
}

export interface OauthOptions {
  readonly serviceAccounts: ServiceAccounts;
  readonly site: Site;
  readonly pepper: Pepper;
  readonly countFailure: CountFailure;
}

/** A new bearer token with its scopes. */
export interface IssuedBearer {
  readonly bearer: string;
  readonly scopes: readonly Scope[];
  readonly secondsToLive: number;
}

export type Oauth = ReturnType<typeof createOauth>;

/** Creates the functions that issue short-lived bearer tokens to service accounts (RFC 6749, section 4.4). */
export function createOauth({ serviceAccounts, site, pepper, countFailure }: OauthOptions) {
  return {
    /**
     * Finds the service account of client credentials. Returns null if the id or the token is wrong, revoked or
     * expired, and counts a failed attempt. Rejects with RATE_LIMIT_EXCEEDED after too many failures.
     */
    async authenticate({ id, secret }: Client, caller: Caller): Promise<AuthenticatedClient | null> {
      const known = isUuid(id) ? await serviceAccounts.findToken(secret, caller) : null;
      if (known?.token.account.id === id.toLowerCase() && !findTokenFault(known.token, caller.now)) {
        const { principal, token } = known;
        caller.record.principal = principal.log;
        return { principal, tokenHash: token.hash };
      }
      await countInvalid(countFailure, caller);
      return null;
    },
    /** Returns the resource with this URL (RFC 8707); undefined if none exists. */
    findResource: (url: string): Resource | undefined =>
      RESOURCES.find((resource) => urlOfResource(site, resource) === url.replace(/\/$/, "")),
    /** Issues a bearer token. The service account must have these scopes. Stores nothing. */
    issue(
      { principal, tokenHash }: AuthenticatedClient,
      scopes: readonly Scope[],
      resource: Resource | null,
      now: Date,
    ): IssuedBearer {
      const { serviceAccount } = principal;
      if (!serviceAccount) throw new Error("only service accounts get bearers");
      const { id: tokenId, expiresAt } = serviceAccount.token;
      const end = Math.min(now.getTime() + LIFETIME_MS, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
      const claims = { accountId: serviceAccount.id, tokenId, scopes, resource, expiresAt: new Date(end) };
      return {
        bearer: writeAccessToken(claims, tokenHash, pepper),
        scopes,
        secondsToLive: Math.floor((end - now.getTime()) / 1_000),
      };
    },
  };
}

/** Returns the URL of a resource: the gateway's own for the API. */
export const urlOfResource = (site: Site, resource: Resource): string =>
  resource === "api" ? site.url() : `${site.url()}/${resource}`;
