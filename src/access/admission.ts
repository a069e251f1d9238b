import type { IncomingMessage } from "node:http";
import type { RateLimitState } from "../domain/rate-limit.js";
import type { Policy, PolicyName } from "../domain/tiers.js";
import { AppError } from "../errors.js";
import { rateLimitHeaders } from "../http/answer/headers.js";
import type { PrincipalLog, RequestInfo } from "../http/request-info.js";
import type { Authenticate } from "./authenticate.js";
import type { Repeatable } from "./idempotency.js";
import type { Principal } from "./principal.js";

/** An admitted request. */
export interface Admission {
  readonly principal: Principal;
  /** Time at which the principal was read, by `performance.now()`. */
  readonly admittedAt: number;
  /** Resolves to the remaining hourly limit once this request is counted; rejects with RATE_LIMIT_EXCEEDED. */
  readonly rateLimit: Promise<RateLimitState>;
  /** True if an earlier request of the same hour exceeded the limit, so this one most likely will, too. */
  readonly wasExceeded: boolean;
  /** Set if the request changes something under an idempotency key. */
  readonly repeatable?: Repeatable | undefined;
}

export interface AdmissionOptions {
  readonly authenticate: Authenticate;
  readonly consume: (principalId: string, policy: Policy) => Promise<RateLimitState>;
}

/**
 * Admits a request, or rejects if its credentials are refused. Wait for the admission's `rateLimit` before sending
 * anything, and before waiting for anything else.
 */
export type Admit = (request: RequestInfo, incoming: IncomingMessage) => Promise<Admission>;

/** Names of the limits in messages. An API key's limit is named after its tier. */
const LIMIT_NAMES: Readonly<Partial<Record<PolicyName, string>>> = {
  session: "session",
  service: "service account",
  scim: "directory",
};

/** Counts a request of an authenticated principal against the hourly limit. */
export type CountRequest = (principal: Principal, now: Date, admittedAt?: number) => Admission;

/** Creates the function that counts requests. */
export function createCounting({ consume }: Pick<AdmissionOptions, "consume">): CountRequest {
  /**
   * Times at which exceeded limits reset, in milliseconds since 1970. The key is the principal's log fields: all
   * requests with one credential share them, and a change of policy creates new ones.
   */
  const exceededUntil = new WeakMap<PrincipalLog, number>();
  const count = async (principal: Principal, now: Date) => {
    const { id, policy } = principal;
    const rateLimit = await consume(id, policy);
    if (rateLimit.allowed) return rateLimit;
    exceededUntil.set(principal.log, now.getTime() + rateLimit.msToReset);
    const limitName = LIMIT_NAMES[rateLimit.policy] ?? `${policy} tier`;
    throw new AppError(
      "RATE_LIMIT_EXCEEDED",
      `Rate limit exceeded: ${rateLimit.limit} requests per hour (${limitName}). The limit resets in ${rateLimit.secondsToReset} seconds.`,
      {
        headers: {
          ...rateLimitHeaders(rateLimit, now),
          "Retry-After": String(rateLimit.secondsToReset),
        },
      },
    );
  };
  return (principal, now, admittedAt = performance.now()) => {
    const wasExceeded = (exceededUntil.get(principal.log) ?? 0) > now.getTime();
    return { principal, admittedAt, rateLimit: count(principal, now), wasExceeded };
  };
}

/** Creates the admission of a surface: it authenticates a request and counts it against the hourly limit. */
export function createAdmission({ authenticate, consume }: AdmissionOptions): Admit {
  const count = createCounting({ consume });
  return async (request, incoming) => {
    const admittedAt = performance.now();
    const found = authenticate(incoming, request);
    const principal = found instanceof Promise ? await found : found;
    return count(principal, request.now, admittedAt);
  };
}
