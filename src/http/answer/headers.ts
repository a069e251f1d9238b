import cors from "cors";
import type { RequestHandler } from "express";
import { type RateLimitState, resetSecond } from "../../domain/rate-limit.js";
import { WINDOW_SECONDS } from "../../domain/tiers.js";

/** Default headers of every response. `vary` names the request headers that the response depends on. */
export const commonHeaders = (id: string, vary = "X-API-Key") => ({
  "X-Request-Id": id,
  "Cache-Control": "private, no-store",
  Vary: vary,
  "X-Content-Type-Options": "nosniff",
  // Responses are data; pages set their own policies.
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
});

const EXPOSED_HEADERS = [
  "X-Request-Id",
  "RateLimit",
  "RateLimit-Policy",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "WWW-Authenticate",
  "ETag",
  "Location",
  "Idempotency-Replayed",
  "Content-Disposition",
  "Sync-Cursor",
];

/** Returns the request headers that responses depend on if pages of these origins may read them. */
export function varyOf(origins: readonly string[]): string {
  return origins.some((origin) => origin !== "*") ? "X-API-Key, Origin" : "X-API-Key";
}

/** Returns the headers for responses that also depend on a session, a token or HTTP Basic. */
export const varyByPerson = (headers: Readonly<Record<string, string>>) => ({
  ...headers,
  Vary: `${headers["Vary"]}, Authorization, Cookie`,
});

/** Creates CORS middleware that allows pages of these origins to read responses. */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  const origin = origins.includes("*") ? "*" : [...origins];
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
  const share = cors({ origin, methods, exposedHeaders: EXPOSED_HEADERS, maxAge: 600 });
  // The library would answer every OPTIONS as a preflight, instead of the routes.
  return (request, response, next) => {
    const { method, headers } = request;
    if (method === "OPTIONS" && headers["access-control-request-method"] === undefined) next();
    else share(request, response, next);
  };
}

/** Returns the headers of draft-ietf-httpapi-ratelimit-headers (structured fields), and the common X- headers. */
export function rateLimitHeaders(state: RateLimitState, now: Date): Record<string, string> {
  const { policy, limit, remaining, secondsToReset } = state;
  return {
    "RateLimit-Policy": `"${policy}";q=${limit};w=${WINDOW_SECONDS}`,
    RateLimit: `"${policy}";r=${remaining};t=${secondsToReset}`,
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(resetSecond(state, now)),
  };
}
