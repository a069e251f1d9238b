import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authenticate } from "./auth/authenticate.js";
import type { Database } from "./data/database.js";
import type { StoredKey } from "./data/keys.js";
import { createLoaders, type Loaders } from "./data/loaders.js";
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
  readonly log: Logger;
  /** Of the client, proxies that are trusted looked through. */
  readonly address: string;
}

/** What an accepted key opens. */
export interface Access {
  readonly key: StoredKey;
  readonly rateLimit: RateLimitState;
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
  readonly database: Database;
  readonly authenticate: Authenticate;
  readonly consume: (keyId: string, tier: Tier) => Promise<RateLimitState>;
}

export type Admit = (
  request: RequestInfo,
  incoming: IncomingMessage,
  response: ServerResponse,
) => Promise<Context>;

/**
 * Makes the one way in for both surfaces: the key is authenticated, one unit of its budget is consumed, the budget's
 * headers are set, and the context is built. Throws INVALID_KEY or RATE_LIMIT_EXCEEDED.
 */
export function createAdmission({ database, authenticate, consume }: AdmissionOptions): Admit {
  return async (request, incoming, response) => {
    const { now, address } = request;
    const keys = incoming.headersDistinct["x-api-key"] ?? [];
    const key = await authenticate({ keys, address, now });
    const rateLimit = await consume(key.id, key.tier);
    for (const [name, value] of Object.entries(rateLimitHeaders(rateLimit, now)))
      response.setHeader(name, value);
    if (!rateLimit.allowed) {
      throw new AppError(
        "RATE_LIMIT_EXCEEDED",
        `The ${rateLimit.limit} requests an hour of this key's tier (${rateLimit.tier}) are spent. The budget is whole again in ${rateLimit.secondsToReset} seconds.`,
        { headers: { "Retry-After": String(rateLimit.secondsToReset) } },
      );
    }
    const tenant = readAsTenant(database, key.organization.id);
    return { request, access: { key, rateLimit, tenant, loaders: createLoaders(tenant, now) } };
  };
}

/** draft-ietf-httpapi-ratelimit-headers (structured fields), and the X- headers that many clients read. */
function rateLimitHeaders(state: RateLimitState, now: Date): Record<string, string> {
  const { tier, limit, remaining, secondsToReset } = state;
  return {
    "RateLimit-Policy": `"${tier}";q=${limit};w=${WINDOW_SECONDS}`,
    RateLimit: `"${tier}";r=${remaining};t=${secondsToReset}`,
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(Math.floor(now.getTime() / 1_000) + secondsToReset),
  };
}
