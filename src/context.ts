import type { IncomingMessage } from "node:http";
import type { Authenticate } from "./auth/authenticate.js";
import type { Database } from "./data/database.js";
import type { StoredKey } from "./data/keys.js";
import { createLoaders, type Loaders } from "./data/loaders.js";
import type { Memory } from "./data/memory.js";
import { readAsTenant, type TenantReader } from "./data/tenant.js";
import type { RateLimitState } from "./domain/rate-limit.js";
import { type Tier, WINDOW_SECONDS } from "./domain/tiers.js";
import { AppError } from "./errors.js";
import type { Logger } from "./log.js";

/** What is known of a request before anybody has looked at its key. */
export interface RequestInfo {
  /** UUID, in the envelope, the X-Request-Id header and every log line. */
  readonly id: string;
  readonly now: Date;
  /** Writes lines with the request's id. */
  readonly log: Logger;
  /** Of the client, proxies that are trusted looked through. */
  readonly address: () => string;
}

/** An accepted key, and what is left of its budget after this request. */
export interface Admission {
  readonly key: StoredKey;
  readonly rateLimit: RateLimitState;
}

/** What an accepted key opens. */
export interface Access extends Admission {
  readonly tenant: TenantReader;
  readonly loaders: Loaders;
}

/** What resolvers are given, on both surfaces. `access` is null for an operation that only introspects. */
export interface Context {
  readonly request: RequestInfo;
  readonly access: Access | null;
}

/** The access of a request that needs a key. */
export function requireAccess({ access }: Context): Access {
  if (access === null) throw new AppError("INVALID_KEY", "No API key. Send it in the X-API-Key header.");
  return access;
}

export interface AdmissionOptions {
  readonly authenticate: Authenticate;
  readonly consume: (keyId: string, tier: Tier) => Promise<RateLimitState>;
}

/** Lets a request in by its key, or throws INVALID_KEY or RATE_LIMIT_EXCEEDED. */
export type Admit = (request: RequestInfo, incoming: IncomingMessage) => Promise<Admission>;

/** Makes the one way in for both surfaces: the key is authenticated, and one unit of its budget is consumed. */
export function createAdmission({ authenticate, consume }: AdmissionOptions): Admit {
  return async ({ now, address }, incoming) => {
    const text = incoming.headers["x-api-key"] as string | undefined;
    const key = await authenticate({ text, address, now });
    const rateLimit = await consume(key.id, key.tier);
    if (rateLimit.allowed) return { key, rateLimit };
    throw new AppError(
      "RATE_LIMIT_EXCEEDED",
      `The ${rateLimit.limit} requests an hour of this key's tier (${rateLimit.tier}) are spent. The budget is whole again in ${rateLimit.secondsToReset} seconds.`,
      { headers: { ...rateLimitHeaders(rateLimit, now), "Retry-After": String(rateLimit.secondsToReset) } },
    );
  };
}

export type OpenContext = (
  request: RequestInfo,
  admission: Admission,
) => Context & { readonly access: Access };

/** Makes the function that builds the context of an admitted request. */
export function createContexts(database: Database): OpenContext {
  return (request, { key, rateLimit }) => {
    const tenant = readAsTenant(database, key.organization.id);
    const loaders = createLoaders(tenant, request.now);
    return { request, access: { key, rateLimit, tenant, loaders } };
  };
}

const DAY_MS = 86_400_000;

/**
 * Answers from memory, or computes. `name` says what is asked, and `compute` must depend on nothing else but it, the id
 * of the key's organization, the key's scopes, the day, and what it reads through its context's tenant.
 */
export type Answer<Value> = (
  name: string,
  request: RequestInfo,
  admission: Admission,
  compute: (context: Context & { readonly access: Access }) => Promise<Value>,
) => Value | Promise<Value>;

/** Makes the function that answers from a memory. What is not complete is passed on, and not remembered. */
export function createAnswer<Value>(
  memory: Memory<Value>,
  openContext: OpenContext,
  isComplete: (value: Value) => boolean = () => true,
): Answer<Value> {
  return (name, request, admission, compute) => {
    const { organization, scopes } = admission.key;
    const day = Math.floor(request.now.getTime() / DAY_MS);
    const fullName = `${organization.id} ${day} ${scopes.join()} ${name}`;
    return memory.recall(fullName, organization.id, request.now, async () => {
      const context = openContext(request, admission);
      const value = await compute(context);
      const { organizationId, basis } = context.access.tenant;
      return { value, basis: isComplete(value) ? { organizationId, ...basis } : null };
    });
  };
}

/** draft-ietf-httpapi-ratelimit-headers (structured fields), and the X- headers that many clients read. */
export function rateLimitHeaders(state: RateLimitState, now: Date): Record<string, string> {
  const { tier, limit, remaining, secondsToReset } = state;
  return {
    "RateLimit-Policy": `"${tier}";q=${limit};w=${WINDOW_SECONDS}`,
    RateLimit: `"${tier}";r=${remaining};t=${secondsToReset}`,
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(Math.floor(now.getTime() / 1_000) + secondsToReset),
  };
}
