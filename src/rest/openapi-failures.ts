import { REFUSALS } from "../access/refusals.js";
import { TIER_LIMITS } from "../domain/tiers.js";
import { API_VERSION } from "../http/envelope.js";

type Examples = { example: unknown } | { examples: Record<string, { value: unknown }> };

/** JSON content with the shape of this name in components/schemas. */
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

/** Describes headers that a response always has, and those that it sometimes has. */
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
  "X-Request-Id": "The same as `meta.request_id`: the caller's own, if it is a UUID.",
};

/** Headers of every response to an accepted key. */
export const LIMIT_HEADERS = {
  "RateLimit-Policy": "Tier, quota (q) and window in seconds (w).",
  RateLimit: "Tier, requests left (r) and seconds to the window's end (t).",
  "X-RateLimit-Limit": "Requests an hour.",
  "X-RateLimit-Remaining": "Requests left in the window.",
  "X-RateLimit-Reset": "End of the window, Unix seconds.",
};

/** The same headers on responses that have them only under a condition. */
const limitHeadersWhere = (condition: string) =>
  Object.fromEntries(
    Object.entries(LIMIT_HEADERS).map(([name, description]) => [name, `${description} ${condition}`]),
  );

/** Describes a failure. `messages` is one example of its message, or several by name. */
function failure(
  description: string,
  code: string,
  messages: string | Readonly<Record<string, string>>,
  { always = {}, sometimes = {} }: { always?: Headers; sometimes?: Headers } = {},
) {
  const refusal = (message: string) => ({ success: false, data: null, error: { code, message }, meta: META });
  const named = Object.entries(messages).map(([name, message]) => [name, { value: refusal(message) }]);
  const examples =
    typeof messages === "string"
      ? { example: refusal(messages) }
      : { examples: Object.fromEntries(named) as Record<string, { value: unknown }> };
  return {
    description,
    headers: describeHeaders({ ...COMMON_HEADERS, ...always }, sometimes),
    content: json("ErrorResponse", examples),
  };
}

/** The failures that every endpoint can answer with, by their names in components/responses. */
export const FAILURES = {
  InvalidKey: failure(
    "The API key is missing, malformed, unknown, revoked or expired, or lacks the scope.",
    "INVALID_KEY",
    "Invalid API key: expired.",
    {
      always: {
        "WWW-Authenticate": `\`ApiKey error="<reason>"\`, with one of: ${[...Object.keys(REFUSALS), "insufficient_scope"].map((reason) => `\`${reason}\``).join(", ")}.`,
      },
      sometimes: limitHeadersWhere("Only if the key lacks the scope: the request is counted."),
    },
  ),
  RateLimitExceeded: failure(
    "The key has used up its requests for the hour, or an address has sent too many requests without a valid key.",
    "RATE_LIMIT_EXCEEDED",
    {
      budgetSpent: `Rate limit exceeded: ${TIER_LIMITS.free} requests per hour (free tier). The limit resets in 1412 seconds.`,
      tooManyFailures:
        "Too many requests without a valid API key. Try again in 42 seconds. Last failure: Invalid API key: unknown.",
    },
    {
      always: { "Retry-After": "Seconds to wait." },
      sometimes: limitHeadersWhere("Only if the key's own limit is exceeded."),
    },
  ),
  InternalError: failure(
    "Server error. Quote `meta.request_id` when you contact support.",
    "INTERNAL_ERROR",
    "Internal error. Quote the X-Request-Id of this response when you contact support.",
    {
      sometimes: {
        ...limitHeadersWhere("Only if the key was accepted: the request is counted."),
        "Retry-After": "Seconds to wait. Only if the failure is temporary.",
      },
    },
  ),
  BadRequest: failure(
    "The request is malformed (`BAD_REQUEST`), or its method is not allowed (`METHOD_NOT_ALLOWED`).",
    "BAD_REQUEST",
    "Malformed request: invalid percent-encoding in the path.",
    { sometimes: { Allow: "The allowed methods, if the method is not allowed." } },
  ),
};

/** The failures of every endpoint as references, by status. */
export const FAILURES_BY_STATUS = Object.fromEntries(
  Object.entries({
    "401": "InvalidKey",
    "429": "RateLimitExceeded",
    "500": "InternalError",
    default: "BadRequest",
  } satisfies Record<string, keyof typeof FAILURES>).map(([status, name]) => [
    status,
    { $ref: `#/components/responses/${name}` },
  ]),
);
