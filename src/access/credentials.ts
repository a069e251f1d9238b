import type { IncomingMessage } from "node:http";
import { containsKey } from "../domain/keys/secrets.js";
import { AppError } from "../errors.js";
import type { Site } from "../http/site.js";
import type { Authenticate, Caller } from "./authenticate.js";
import { readCookie } from "./cookie.js";
import { requireSameSite } from "./cross-site.js";
import { findMisplacedToken, type KeyBearer } from "./misplaced-key.js";
import { requireFactorOfPolicy, requirePerson } from "./principal.js";
import { refuseKey } from "./refusals.js";
import type { Resource } from "./secrets/access-token.js";
import { isServiceToken, type ServiceAccounts } from "./service-account.js";
import { type ActiveSession, type FindSession, unauthenticated } from "./session.js";

/** Name of the session cookie. Its prefix makes browsers accept it only over https, and only from this host. */
export const SESSION_COOKIE = "__Host-cgw_session";

/** Returns the header that stores a session's token in the browser, where no script can read it. */
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
 * Returns a request's credential: the API key or the bearer token, else the cookie. Ignores an API key in the
 * Authorization header. Throws BAD_REQUEST if a request has both a key and a bearer token.
 */
export function findCredential({ headers }: Pick<IncomingMessage, "headers">): Credential {
  const { authorization = "", cookie = "", "x-api-key": key } = headers;
  const [, token] = /^bearer +(.*)$/i.exec(authorization) ?? [];
  const bearer = token === undefined || containsKey(token) ? undefined : token.trim();
  if (key && bearer !== undefined) {
    throw new AppError("BAD_REQUEST", "Expected an API key or a bearer token, got both.");
  }
  if (key) return { kind: "key" };
  if (bearer !== undefined) return { kind: "bearer", token: bearer };
  const found = readCookie(cookie, SESSION_COOKIE);
  return found === undefined ? null : { kind: "cookie", token: found };
}

/** Rejects with FORBIDDEN for a valid service account token, and as `ServiceAccounts.find` does for an invalid one. */
export type RefuseServiceAccount = (
  request: Pick<IncomingMessage, "headers">,
  caller: Caller,
) => Promise<void>;

/** Creates the function that refuses service accounts where only users are allowed. */
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

/** Returns a request's session; null if it has an API key, or neither a token nor a cookie. */
export type FindSessionOf = (
  request: Pick<IncomingMessage, "method" | "headers">,
  caller: Caller,
) => Promise<ActiveSession | null>;

/**
 * Creates the function that finds a request's session. It rejects for a service account, for a cookie that
 * `requireSameSite` refuses, and as `FindSession` does.
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
 * Creates the authentication of API keys, service accounts and users. `refuseAnonymous` answers requests without a
 * credential.
 */
export function createAuthenticateAll(
  authenticateKey: Authenticate,
  { serviceAccounts, findSessionOf, site, resource, isOwnAccount = false }: BearerOptions,
  refuseAnonymous: Authenticate,
): Authenticate {
  const authenticateBearer: Authenticate = async (request, caller) => {
    const credential = findCredential(request);
    if (credential?.kind === "bearer" && isServiceToken(credential.token)) {
      return serviceAccounts.find(credential.token, caller, resource).catch(nameResource(site));
    }
    const session = await findSessionOf(request, caller);
    if (session === null) return refuseAnonymous(request, caller);
    const { principal } = session;
    if (principal?.person && !isOwnAccount) requireFactorOfPolicy(principal.person, caller.now);
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

/** Options for authenticating bearer tokens and cookies. */
export interface BearerOptions {
  readonly serviceAccounts: ServiceAccounts;
  readonly findSessionOf: FindSessionOf;
  readonly site: Site;
  /** The resource that a service account's bearer token must be for; the API if omitted. */
  readonly resource?: Resource;
  /** True for requests about the caller's own account, which no organization's second-factor policy restricts. */
  readonly isOwnAccount?: boolean;
}

/** Returns the path of a resource's OAuth metadata (RFC 9728). */
export const metadataPathOf = (resource: Resource): string =>
  `/.well-known/oauth-protected-resource${resource === "api" ? "" : `/${resource}`}`;

/** Rethrows UNAUTHENTICATED with the URL of the API's OAuth metadata (RFC 9728, section 5.1). */
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

/** Authenticates requests without considering their cookie, which browsers send automatically. */
export const withoutCookie =
  (authenticate: Authenticate): Authenticate =>
  ({ method, url, headers: { cookie: _, ...headers } }, caller) =>
    authenticate({ method, url, headers } as KeyBearer, caller);

/** Refuses a request to the wider API without a credential, or with one in the wrong place. */
export const refuseAnonymous: Authenticate = (request) => {
  const { headers } = request;
  const misplaced = findMisplacedToken(request);
  if (misplaced !== undefined) throw refuseKey("misplaced", misplaced);
  if (containsKey(headers.authorization ?? "")) {
    throw unauthenticated("The Authorization header contains an API key.", "Send it as X-API-Key.");
  }
  throw unauthenticated(
    "No credential.",
    "Send a session or service account token as Authorization: Bearer, or an API key as X-API-Key.",
  );
};
