import { createHash, randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";

export interface StoredKey {
  readonly id: string;
  readonly organizationId: string;
  readonly tier: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

export interface Admitted {
  readonly key: StoredKey;
  /** Headers about the budget. */
  readonly headers: Readonly<Record<string, string>>;
}

export class Refusal extends Error {
  readonly statusCode: number;
  readonly code: string;
  constructor(statusCode: number, code: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
  }
}

const LIMITS: Readonly<Record<string, number>> = { free: 100, pro: 1_000, enterprise: 10_000 };
const WINDOW_SECONDS = 3_600;

/** Creates the admission of the compared servers for each request: hash, key, limit. Throws Refusal. */
export function createAdmission(redisUrl: string, findKey: (hash: string) => Promise<StoredKey | null>) {
  const redis = new Redis(redisUrl);
  const limiters = new Map(
    Object.entries(LIMITS).map(([tier, points]) => [
      tier,
      new RateLimiterRedis({
        storeClient: redis,
        keyPrefix: "carbon-gateway:bench",
        points,
        duration: WINDOW_SECONDS,
      }),
    ]),
  );
  return async (given: unknown): Promise<Admitted> => {
    if (typeof given !== "string") throw new Refusal(401, "INVALID_KEY", "No API key.");
    const now = Date.now();
    const key = await findKey(createHash("sha256").update(given).digest("hex"));
    if (!key || key.revokedAt || (key.expiresAt && key.expiresAt.getTime() <= now)) {
      throw new Refusal(401, "INVALID_KEY", "Invalid API key.");
    }
    const { tier } = key;
    const result = await limiters.get(tier)?.consume(key.id).catch(asRefusal);
    const limit = LIMITS[tier] ?? 0;
    const left = result?.remainingPoints ?? 0;
    const seconds = Math.ceil((result?.msBeforeNext ?? 0) / 1_000);
    const headers = {
      "RateLimit-Policy": `"${tier}";q=${limit};w=${WINDOW_SECONDS}`,
      RateLimit: `"${tier}";r=${left};t=${seconds}`,
      "X-RateLimit-Limit": String(limit),
      "X-RateLimit-Remaining": String(left),
      "X-RateLimit-Reset": String(Math.floor(now / 1_000) + seconds),
    };
    return { key, headers };
  };
}

function asRefusal(thrown: unknown): never {
  if (thrown instanceof RateLimiterRes) {
    throw new Refusal(429, "RATE_LIMIT_EXCEEDED", "The requests of this hour are spent.");
  }
  throw thrown;
}

/** Throws Refusal if a key lacks a scope. */
export function requireScope({ scopes }: StoredKey, scope: string): void {
  if (!scopes.includes(scope)) throw new Refusal(401, "INVALID_KEY", `The key lacks the scope ${scope}.`);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns the caller's request id if it is a UUID, else a new one. */
export function requestId(given: string | string[] | undefined): string {
  return typeof given === "string" && UUID.test(given) ? given : randomUUID();
}

export const COMMON_HEADERS = {
  "Cache-Control": "private, no-store",
  Vary: "X-API-Key",
  "X-Content-Type-Options": "nosniff",
};

/** Reads an environment variable that the benchmark sets. */
export function requireVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
