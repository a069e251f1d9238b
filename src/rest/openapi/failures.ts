import { REFUSALS } from "../../access/refusals.js";
import { TIER_LIMITS } from "../../domain/tiers.js";
import type { ErrorCode, Problem } from "../../errors.js";
import { API_VERSION } from "../../http/answer/envelope.js";
import { INTERNAL_ERROR_MESSAGE } from "../../http/answer/failure.js";

type Examples = { example: unknown } | { examples: Record<string, { value: unknown }> };

/** Describes JSON content whose shape has this name in components/schemas. */
export const json = (name: string, examples?: Examples) => ({
  "application/json": { schema: { $ref: schemaPath(name) }, ...examples },
});

export const schemaPath = (name: string) => `#/components/schemas/${name}`;

export const META = {
  request_id: "0b9fd6a2-4a0f-4f0e-9a38-5a1a3a0f1d3c",
  timestamp: "2026-11-20T10:00:00.000Z",
  version: API_VERSION,
};

/** Descriptions of headers, by name. */
type Headers = Readonly<Record<string, string>>;

/** Describes headers: those that a response always has, and those it sometimes has. */
export const describeHeaders = (always: Headers, sometimes: Headers = {}) =>
  Object.fromEntries(
    [always, sometimes].flatMap((headers) =>
      Object.entries(headers).map(([name, description]) => [
        name,
        { description, required: headers === always, schema: { type: "string" } },
      ]),
    ),
  );

/** Headers of every response. */
export const COMMON_HEADERS = {
  "X-Request-Id": "Id of this request: the caller's `X-Request-Id` if that is a UUID, otherwise a new one.",
};

/** Headers of every response to a request that was counted. */
export const LIMIT_HEADERS = {
  "RateLimit-Policy":
    "Policy, quota (q) and window in seconds (w). The policy is a key's tier, `session` or `service`.",
  RateLimit: "Policy, requests left (r) and seconds until the window ends (t).",
  "X-RateLimit-Limit": "Requests per hour.",
  "X-RateLimit-Remaining": "Requests left in the window.",
  "X-RateLimit-Reset": "End of the window, Unix seconds.",
};

/** Describes the limit headers for responses that have them only under a condition. */
export const limitHeadersWhere = (condition: string) =>
  Object.fromEntries(
    Object.entries(LIMIT_HEADERS).map(([name, description]) => [name, `${description} ${condition}`]),
  );

/** An example of `error` in a response. */
interface ErrorExample {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: readonly Problem[];
}

/** Describes a failure with one example, or with several examples by name. */
export function failure(
  description: string,
  shown: ErrorExample | Readonly<Record<string, ErrorExample>>,
  { always = {}, sometimes = {} }: { always?: Headers; sometimes?: Headers } = {},
) {
  const refusal = (error: unknown) => ({ success: false, data: null, error, meta: META });
  const named = Object.entries(shown).map(([name, error]) => [name, { value: refusal(error) }]);
  const examples =
    "code" in shown
      ? { example: refusal(shown) }
      : { examples: Object.fromEntries(named) as Record<string, { value: unknown }> };
  return {
    description,
    headers: describeHeaders({ ...COMMON_HEADERS, ...always }, sometimes),
    content: json("ErrorResponse", examples),
  };
}

/** Failures that every endpoint of the external API can return, by their names in components/responses. */
export const FAILURES = {
  InvalidKey: failure(
    "The API key is missing, malformed, unknown, revoked or expired, or lacks the scope.",
    { code: "INVALID_KEY", message: "Invalid API key: expired." },
    {
      always: {
        "WWW-Authenticate": `\`ApiKey error="<reason>"\`, with one of: ${[...Object.keys(REFUSALS), "insufficient_scope"].map((reason) => `\`${reason}\``).join(", ")}.`,
      },
      sometimes: limitHeadersWhere("Only if the key lacks the scope, because such a request is counted."),
    },
  ),
  RateLimitExceeded: failure(
    "The key has used up its requests for the hour, or an address has sent too many requests without a valid key.",
    {
      budgetSpent: {
        code: "RATE_LIMIT_EXCEEDED",
        message: `Rate limit exceeded: ${TIER_LIMITS.free} requests per hour (free tier). The limit resets in 1412 seconds.`,
      },
      tooManyFailures: {
        code: "RATE_LIMIT_EXCEEDED",
        message:
          "Too many requests without a valid API key. Try again in 42 seconds. Last failure: Invalid API key: unknown.",
      },
    },
    {
      always: { "Retry-After": "Seconds to wait." },
      sometimes: limitHeadersWhere("Only if the key's own limit is exceeded."),
    },
  ),
  InternalError: failure(
    "Server error. Quote `meta.request_id` when you contact support.",
    { code: "INTERNAL_ERROR", message: INTERNAL_ERROR_MESSAGE },
    {
      sometimes: {
        ...limitHeadersWhere("Only if the key was accepted, because such a request is counted."),
        "Retry-After": "Seconds to wait. Only if the failure is temporary.",
      },
    },
  ),
  BadRequest: failure(
    "The request is malformed (`BAD_REQUEST`), or its method is not allowed (`METHOD_NOT_ALLOWED`).",
    { code: "BAD_REQUEST", message: "Malformed request: invalid percent-encoding in the path." },
    { sometimes: { Allow: "The allowed methods, if the method is not allowed." } },
  ),
};

/** Returns references to failures, by status. */
export const refer = (names: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(names).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
  );

/** References to the failures of every endpoint of the external API, by status. */
export const FAILURES_BY_STATUS = refer({
  "401": "InvalidKey",
  "429": "RateLimitExceeded",
  "500": "InternalError",
  default: "BadRequest",
} satisfies Record<string, keyof typeof FAILURES>);
