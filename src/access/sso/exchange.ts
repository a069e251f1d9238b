import type { Configuration } from "openid-client";
import { ProviderUnreachable } from "../../delivery/provider.js";
import { once } from "../../domain/once.js";
import { type RefusalReason, SsoRefusal } from "../../domain/sso/sso-refusals.js";
import type { Keys, Metadata, Providers } from "./providers.js";

/** Accepted signature algorithms. */
export const SIGNATURES = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"];
/** Tolerated difference between clocks, in seconds. */
export const SKEW_SECONDS = 60;
/** Maximum age of an ID token, in seconds. */
const MAX_SECONDS = 600;

/** The gateway as a client of a provider. */
export interface ProviderClient {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a client without a secret. */
  readonly clientSecret: string | null;
  readonly redirectUri: string;
}

/** Secrets of one sign-in. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Claims of a valid ID token. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Loaded on first use, because only a gateway with single sign-on needs it. */
const load = once(() => import("openid-client"));

/** Creates the secrets of a sign-in, each of 32 random bytes. */
export async function createAttempt(): Promise<Attempt> {
  const { randomNonce, randomPKCECodeVerifier, randomState } = await load();
  return { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
}

/** Returns the provider's URL for a sign-in. With `isFresh`, the user must authenticate there again. */
export async function buildSignInUrl(
  providers: Providers,
  client: ProviderClient,
  { state, nonce, verifier }: Attempt,
  { isFresh, now }: { readonly isFresh: boolean; readonly now: Date },
): Promise<string> {
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await load();
  const metadata = await providers.findMetadata(client.issuer, now);
  const config = await configure(providers, client, metadata, now);
  const url = buildAuthorizationUrl(config, {
    redirect_uri: client.redirectUri,
    scope: "openid email profile",
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...(isFresh && { prompt: "login", max_age: "0" }),
  });
  return url.href;
}

/**
 * Exchanges the code of a callback and returns the claims of its ID token. Rejects with an SsoRefusal that has the
 * reason. The caller must have checked the callback's state.
 */
export async function exchangeCode(
  providers: Providers,
  client: ProviderClient,
  { nonce, verifier, state }: Attempt,
  query: URLSearchParams,
  now: Date,
): Promise<Claims> {
  const metadata = await reach(providers.findMetadata(client.issuer, now));
  const issuer = query.get("iss");
  if (
    issuer === null
      ? metadata.authorization_response_iss_parameter_supported === true
      : issuer !== client.issuer
  )
    throw new SsoRefusal("issuer");
  if (query.has("error")) throw new SsoRefusal("provider_error");
  if (!query.get("code")) throw new SsoRefusal("code");
  const { authorizationCodeGrant, enableNonRepudiationChecks } = await load();
  const config = await configure(providers, client, metadata, now);
  enableNonRepudiationChecks(config);
  const url = new URL(client.redirectUri);
  url.search = query.toString();
  const tokens = await authorizationCodeGrant(config, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  }).catch((error: unknown) => {
    throw new SsoRefusal(reasonOf(error), error);
  });
  const claims = tokens.claims();
  if (!claims) throw new SsoRefusal("provider_error");
  // The library checks `azp` only if `aud` has several values.
  if (claims["azp"] !== undefined && claims["azp"] !== client.clientId)
    throw new SsoRefusal("authorized_party");
  const age = now.getTime() / 1_000 - claims.iat;
  if (age > MAX_SECONDS + SKEW_SECONDS || age < -SKEW_SECONDS) throw new SsoRefusal("expired");
  return claims;
}

/** Configures the library for one sign-in. Its requests go through `providers`, which caches the keys. */
async function configure(
  providers: Providers,
  { issuer, clientId, clientSecret }: ProviderClient,
  metadata: Metadata,
  now: Date,
): Promise<Configuration> {
  const oidc = await load();
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const authenticate =
    clientSecret === null
      ? oidc.None()
      : methods.includes("client_secret_basic") || !methods.includes("client_secret_post")
        ? oidc.ClientSecretBasic(clientSecret)
        : oidc.ClientSecretPost(clientSecret);
  const offered = metadata.id_token_signing_alg_values_supported ?? SIGNATURES;
  const { issuer: name, authorization_endpoint, token_endpoint, jwks_uri } = metadata;
  const server = {
    issuer: name,
    authorization_endpoint,
    token_endpoint,
    jwks_uri,
    id_token_signing_alg_values_supported: SIGNATURES.filter(
      // EdDSA and Ed25519 are two names for one algorithm.
      (signature) =>
        offered.includes(signature) ||
        (signature.startsWith("Ed") && offered.some((other) => /^Ed(DSA|25519)$/.test(other))),
    ),
  };
  const settings = {
    [oidc.clockTolerance]: SKEW_SECONDS,
    [oidc.clockSkew]: Math.round((now.getTime() - Date.now()) / 1_000),
  };
  const config = new oidc.Configuration(server, clientId, settings, authenticate);
  // Safe: `ask` allows plain http only to loopback addresses that the operator has allowed.
  oidc.allowInsecureRequests(config);
  let keys: Keys | undefined;
  config[oidc.customFetch] = async (url, { method, headers, body }) => {
    if (url === metadata.jwks_uri)
      return Response.json(keys ?? (await providers.findKeys(issuer, undefined, now)));
    const sent = {
      method: method as "GET" | "POST",
      headers: toPlain(headers),
      body: body ? String(body) : undefined,
    };
    const answer = await providers.ask(url, sent);
    if (url === metadata.token_endpoint) keys = await providers.findKeys(issuer, kidOf(answer.body), now);
    return new Response(answer.body, {
      status: answer.status,
      headers: { "Content-Type": answer.contentType },
    });
  };
  return config;
}

const toPlain = (headers: Record<string, string> | Headers) =>
  headers instanceof Headers ? Object.fromEntries(headers) : headers;

/** Returns the `kid` of the ID token in a token response; undefined if it has none. */
function kidOf(body: string): unknown {
  try {
    const { id_token: token } = JSON.parse(body) as { id_token?: string };
    const [header = ""] = String(token).split(".");
    return (JSON.parse(Buffer.from(header, "base64url").toString()) as { kid?: unknown }).kid;
  } catch {
    return undefined;
  }
}

/** Turns ProviderUnreachable into an SsoRefusal. */
export async function reach<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ProviderUnreachable) throw new SsoRefusal("provider_unreachable", error);
    throw error;
  }
}

const REASON_OF_CLAIM: Readonly<Record<string, RefusalReason>> = {
  aud: "audience",
  azp: "authorized_party",
  exp: "expired",
  iat: "expired",
  iss: "issuer",
  nbf: "expired",
  nonce: "nonce",
};

/** The library's codes for an unknown key and for an algorithm that is not accepted. */
const SIGNATURE_CODES: ReadonlySet<unknown> = new Set([
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_UNSUPPORTED_OPERATION",
]);

/** Returns the reason for the library's refusal. */
function reasonOf(error: unknown): RefusalReason {
  const causes = causesOf(error);
  if (causes.some((cause) => cause instanceof ProviderUnreachable)) return "provider_unreachable";
  for (const cause of causes as {
    claim?: string;
    code?: string;
    error?: string;
    message?: string;
    cause?: unknown;
  }[]) {
    const claimed = cause.claim === undefined ? undefined : REASON_OF_CLAIM[cause.claim];
    if (claimed) return claimed;
    if (cause.error === "invalid_grant") return "code";
    if (SIGNATURE_CODES.has(cause.code) || /signature|"alg"/.test(cause.message ?? "")) return "signature";
    const [, missing] = /JWT "(\w+)"/.exec(cause.message ?? "") ?? [];
    const reason = missing === undefined ? undefined : REASON_OF_CLAIM[missing];
    if (reason) return reason;
  }
  return "provider_error";
}

/** Returns an error and its causes, the outermost first. */
function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (
    let one = error;
    typeof one === "object" && one !== null && causes.length < 10;
    one = (one as Error).cause
  )
    causes.push(one);
  return causes;
}
