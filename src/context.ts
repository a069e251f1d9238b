import type { IncomingMessage } from "node:http";
import type { Authenticate } from "./auth/authenticate.js";
import { REFUSALS, refuseKey } from "./auth/refusals.js";
import type { Database } from "./data/database.js";
import type { StoredKey } from "./data/keys.js";
import { createLoaders, type Loaders } from "./data/loaders.js";
import type { Memory } from "./data/memory.js";
import { type RowMemory, readAsTenant, type TenantReader } from "./data/tenant.js";
import type { RequestTime } from "./data/time-limit.js";
import { type RateLimitState, resetSecond } from "./domain/rate-limit.js";
import { scopeBits } from "./domain/scopes.js";
import { type Tier, WINDOW_SECONDS } from "./domain/tiers.js";
import { AppError } from "./errors.js";
import type { Logger } from "./log.js";

/** What is known of a request before anybody has looked at its key. */
export interface RequestInfo extends RequestTime {
  /** UUID, in the envelope, the X-Request-Id header and every log line. */
  readonly id: string;
  /** The trace that it belongs to (W3C Trace Context), where there is one. */
  readonly traceId: string | undefined;
  /** Writes lines with the ids of the request and its trace. */
  readonly log: Logger;
  /** Of the client, proxies that are trusted looked through. */
  address(): string;
  readonly record: RequestRecord;
}

/** What turns out while a request is answered, for its line in the log: each part is noted where it becomes known. */
export interface RequestRecord {
  /** The key that was found, accepted or not. */
  key: StoredKey | undefined;
  /** The endpoint's name, or that of the GraphQL operation. */
  operation: string | undefined;
  /** Of the GraphQL operation, or of the endpoint's query, in points. */
  cost: number | undefined;
}

/** An accepted key. */
export interface Admission {
  readonly key: StoredKey;
  /** What is left of its budget after this request, once it is counted; RATE_LIMIT_EXCEEDED if it was spent. */
  readonly rateLimit: Promise<RateLimitState>;
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
  /** Whether lists without pages are given whole, however long they are: for the REST surface's own queries. */
  readonly wholeLists: boolean;
}

/** The access of a request that needs a key. */
export function requireAccess({ access }: Context): Access {
  if (access === null) throw refuseKey("missing", REFUSALS.missing);
  return access;
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

/** The context of a request that was let in. */
export interface AdmittedContext extends Context {
  readonly access: Access;
}

export type OpenContext = (request: RequestInfo, admission: Admission) => AdmittedContext;

export interface ContextOptions {
  /** Where rows are remembered; without one, every statement goes to the database. */
  readonly rows?: RowMemory;
  readonly wholeLists: boolean;
}

/** Makes the function that builds the context of an admitted request. */
export function createContexts(database: Database, { rows, wholeLists }: ContextOptions): OpenContext {
  return (request, admission) => {
    const tenant = readAsTenant(database, admission.key.organization.id, request, rows);
    const loaders = createLoaders(tenant, request.now);
    return { request, access: { ...admission, tenant, loaders }, wholeLists };
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
  compute: (context: AdmittedContext) => Promise<Value>,
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
    // Joined: a template would be kept as the tree of its parts, which takes several times as much.
    const fullName = [organization.id, day, scopeBits(scopes), name].join(" ");
    return memory.recall(fullName, organization.id, request, async () => {
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
    "X-RateLimit-Reset": String(resetSecond(state, now)),
  };
}
