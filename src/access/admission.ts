import type { IncomingMessage } from "node:http";
import type { StoredKey } from "../data/keys/keys.js";
import type { RateLimitState } from "../domain/rate-limit.js";
import type { Tier } from "../domain/tiers.js";
import { AppError } from "../errors.js";
import { rateLimitHeaders } from "../http/headers.js";
import type { RequestInfo } from "../http/request-info.js";
import type { Authenticate } from "./authenticate.js";

/** An accepted key. */
export interface Admission {
  readonly key: StoredKey;
  /** What is left of its budget after this request, once it is counted; RATE_LIMIT_EXCEEDED if it was spent. */
  readonly rateLimit: Promise<RateLimitState>;
}

export interface AdmissionOptions {
  readonly authenticate: Authenticate;
  readonly consume: (keyId: string, tier: Tier) => Promise<RateLimitState>;
}

/**
 * Lets a request in by its key, or throws INVALID_KEY. Nothing may leave, and nothing else be waited for, before its
 * `rateLimit` is there.
 */
export type Admit = (request: RequestInfo, incoming: IncomingMessage) => Promise<Admission>;

/** Makes the one way in for both surfaces: the key is authenticated, and one unit of its budget is consumed. */
export function createAdmission({ authenticate, consume }: AdmissionOptions): Admit {
  const count = async (key: StoredKey, now: Date) => {
    const { tier } = key;
    const rateLimit = await consume(key.id, tier);
    if (rateLimit.allowed) return rateLimit;
    key.spentUntil = now.getTime() + rateLimit.msToReset;
    throw new AppError(
      "RATE_LIMIT_EXCEEDED",
      `Rate limit exceeded: ${rateLimit.limit} requests per hour (${tier} tier). The limit resets in ${rateLimit.secondsToReset} seconds.`,
      {
        headers: {
          ...rateLimitHeaders(rateLimit, now),
          "Retry-After": String(rateLimit.secondsToReset),
        },
      },
    );
  };
  return async (request, incoming) => {
    const found = authenticate(incoming, request);
    const key = found instanceof Promise ? await found : found;
    return { key, rateLimit: count(key, request.now) };
  };
}
