import type { IncomingMessage } from "node:http";
import { holdsKey } from "../domain/keys/text.js";
import { AppError } from "../errors.js";
import type { Site } from "../http/site.js";
import type { Authenticate, Caller } from "./authenticate.js";
import { requireSameSite } from "./cross-site.js";
import { findMisplacedToken, type KeyBearer } from "./misplaced-key.js";
import { requireDemandedFactor, requirePerson } from "./principal.js";
import { refuseKey } from "./refusals.js";
import type { Resource } from "./secrets/access-token.js";
import { isServiceToken, type ServiceAccounts } from "./service-account.js";
import { type FindSession, type LivingSession, unauthenticated } from "./session.js";

/** Name of the session cookie. Browsers accept it only over https and from this machine. */
export const SESSION_COOKIE = "__Host-cgw_session";

/** Returns the header that stores a session's token in the browser. Only the gateway sees the token again. */
export const setSessionCookie = (token: string, maxAgeSeconds: number) => ({
  "Set-Cookie": `${SESSION_COOKIE}=${token}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; Secure; SameSite=Strict`,
});

/** Returns the header that deletes the session cookie. */
export const clearSessionCookie = () => setSessionCookie("", 0);

/** The credential a request sends. */
export type Credential =
  | { readonly kind: "key" }
  | { readonly kind: "bearer" | "cookie"; readonly token: string }
  | null;

/**
 * Returns a request's credential: the API key or the bearer token, else the cookie. An API key in the Authorization
 * header counts as misplaced. Throws BAD_REQUEST if a request has both a key and a bearer token.
 */
export function findCredential({ headers }: Pick<IncomingMessage, "headers">): Credential {
  const { authorization = "", cookie = "", "x-api-key": key } = headers;
  const [, token] = /^bearer +(.*)$/i.exec(authorization) ?? [];
  const bearer = token === undefined || holdsKey(token) ? undefined : token.trim();
  if (key && bearer !== undefined) {
    throw new AppError("BAD_REQUEST", "Expected an API key or a bearer token, got both.");
  }
  if (key) return { kind: "key" };
  if (bearer !== undefined) return { kind: "bearer", token: bearer };
  const found = readCookie(cookie);
  return found === undefined ? null : { kind: "cookie", token: found };
}

/** Returns the session cookie from a Cookie header (RFC 6265, section 4.2.1). */
function readCookie(header: string): string | undefined {
  const pairs = header.split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${SESSION_COOKIE}=`))?.slice(SESSION_COOKIE.length + 1);
}

/** Rejects with FORBIDDEN for the token of a service account, and with UNAUTHENTICATED if it does not work. */
export type RefuseServiceAccount = (
  request: Pick<IncomingMessage, "headers">,
  caller: Caller,
) => Promise<void>;

/** Creates the function that keeps service accounts from what belongs to people. */
export function createRefuseServiceAccount(
  serviceAccounts: ServiceAccounts,
  site: Site,
): RefuseServiceAccount {
  return async (request, caller) => {
    const credential = findCredential(request);
    if (credential?.kind !== "bearer" || !isServiceToken(credential.token)) return;
    requirePerson(await serviceAccounts.find(credential.token, caller).catch(nameResource(site)));
  };
}

/** Returns a request's session; null if it has neither a token nor a cookie. */
export type FindSessionOf = (
  request: Pick<IncomingMessage, "method" | "headers">,
  caller: Caller,
) => Promise<LivingSession | null>;

/**
 * Creates the function that finds a request's session. It rejects if a page of another site sent the cookie, and for a
 * service account.
 */
export function createFindSessionOf(
  findSession: FindSession,
  refuseServiceAccount: RefuseServiceAccount,
  site: Site,
): FindSessionOf {
  return async (request, caller) => {
    await refuseServiceAccount(request, caller);
    const credential = findCredential(request);
    if (credential === null || credential.kind === "key") return null;
    if (credential.kind === "cookie") requireSameSite(request, site, true);
    const session = findSession(credential.token, caller);
    return credential.kind === "bearer" ? session.catch(nameResource(site)) : session;
  };
}

/**
 * Creates the authentication of API keys, service accounts and users. `refuseNobody` answers requests without a
 * credential.
 */
export function createAuthenticateAll(
  authenticateKey: Authenticate,
  { serviceAccounts, findSessionOf, site, resource, isOwnAccount = false }: Bearers,
  refuseNobody: Authenticate,
): Authenticate {
  const authenticateBearer: Authenticate = async (request, caller) => {
    const credential = findCredential(request);
    if (credential?.kind === "bearer" && isServiceToken(credential.token)) {
      return serviceAccounts.find(credential.token, caller, resource).catch(nameResource(site));
    }
    const session = await findSessionOf(request, caller);
    if (session === null) return refuseNobody(request, caller);
    const { principal } = session;
    if (principal?.person && !isOwnAccount) requireDemandedFactor(principal.person, caller.now);
    if (principal !== null) return principal;
    throw new AppError(
      "FORBIDDEN",
      "You are not a member of any organization. Ask for an invitation, and send it to POST /v1/auth/register with your password.",
    );
  };
  return (request, caller) => {
    const { authorization, "x-api-key": key } = request.headers;
    const isKey = key !== undefined && authorization === undefined;
    return isKey || findCredential(request)?.kind === "key"
      ? authenticateKey(request, caller)
      : authenticateBearer(request, caller);
  };
}

/** Finds those who send a bearer or a cookie. */
export interface Bearers {
  readonly serviceAccounts: ServiceAccounts;
  readonly findSessionOf: FindSessionOf;
  readonly site: Site;
  /** The resource that a bearer of a service account must be for; the API if omitted. */
  readonly resource?: Resource;
  /** True for what concerns the caller's own account, which does not depend on the policy of an organization. */
  readonly isOwnAccount?: boolean;
}

/** Returns the path of the description of a resource for OAuth clients (RFC 9728). */
export const metadataPathOf = (resource: Resource): string =>
  `/.well-known/oauth-protected-resource${resource === "api" ? "" : `/${resource}`}`;

/** Adds to the refusal of a bearer where the API's authorization server is described (RFC 9728, section 5.1). */
const nameResource =
  (site: Site) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== "UNAUTHENTICATED") throw error;
    const { "WWW-Authenticate": challenge = "Bearer", ...headers } = error.headers;
    const metadata = `resource_metadata="${site.url()}${metadataPathOf("api")}"`;
    throw new AppError(error.code, error.message, {
      headers: {
        ...headers,
        "WWW-Authenticate": `${challenge}${challenge === "Bearer" ? " " : ", "}${metadata}`,
      },
      cause: error,
    });
  };

/** Authenticates requests as if they had no cookie, which a browser sends on its own. */
export const withoutCookie =
  (authenticate: Authenticate): Authenticate =>
  ({ method, url, headers: { cookie: _, ...headers } }, caller) =>
    authenticate({ method, url, headers } as KeyBearer, caller);

/** Refuses a request to the wider API without a credential, or with one in the wrong place. */
export const refuseStranger: Authenticate = (request) => {
  const { headers } = request;
  const misplaced = findMisplacedToken(request);
  if (misplaced !== undefined) throw refuseKey("misplaced", misplaced);
  if (holdsKey(headers.authorization ?? "")) {
    throw unauthenticated("Authorization has an API key.", "Send it as X-API-Key.");
  }
  throw unauthenticated(
    "No session.",
    "Send its token or a service account's as Authorization: Bearer, or an API key as X-API-Key.",
  );
};
