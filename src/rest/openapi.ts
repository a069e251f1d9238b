import { z } from "zod";
import { TIER_LIMITS } from "../domain/tiers.js";
import type { Endpoint } from "./endpoint.js";
import { endpoints } from "./endpoints/index.js";
import { API_VERSION, errorEnvelope, successEnvelope } from "./envelope.js";

type Examples = { example: unknown } | { examples: Record<string, { value: unknown }> };

const json = (schema: z.ZodType, examples: Examples) => ({
  "application/json": {
    schema: z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" }),
    ...examples,
  },
});

const META = {
  request_id: "0b9fd6a2-4a0f-4f0e-9a38-5a1a3a0f1d3c",
  timestamp: "2026-11-20T10:00:00.000Z",
  version: API_VERSION,
};

/** What headers say, by their names. */
type Headers = Readonly<Record<string, string>>;

/** Headers that every answer of a kind has, and those that some have. */
const describeHeaders = (always: Headers, sometimes: Headers = {}) =>
  Object.fromEntries(
    [always, sometimes].flatMap((headers) =>
      Object.entries(headers).map(([name, description]) => [
        name,
        { description, required: headers === always, schema: { type: "string" } },
      ]),
    ),
  );

/** Of every answer. */
const COMMON_HEADERS = {
  "X-Request-Id": "The same as `meta.request_id`: the caller's, where that is a UUID.",
};

/** Of answers to a key that is accepted and counted. */
const LIMIT_HEADERS = {
  "RateLimit-Policy": "Tier, quota (q) and window in seconds (w).",
  RateLimit: "Tier, requests left (r) and seconds to the window's end (t).",
  "X-RateLimit-Limit": "Requests an hour.",
  "X-RateLimit-Remaining": "Requests left in the window.",
  "X-RateLimit-Reset": "End of the window, Unix seconds.",
};

/** The same, of answers that may be to others as well. */
const limitHeadersWhere = (condition: string) =>
  Object.fromEntries(
    Object.entries(LIMIT_HEADERS).map(([name, description]) => [name, `${description} ${condition}`]),
  );

/** A kind of refusal; its messages are an example, or several by name. */
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
    content: json(errorEnvelope, examples),
  };
}

const FAILURES = {
  "401": failure(
    "The API key is missing, malformed, unknown, revoked or expired, or lacks the scope.",
    "INVALID_KEY",
    "Invalid API key: expired.",
    {
      always: { "WWW-Authenticate": "Always `ApiKey`." },
      sometimes: limitHeadersWhere("Where the key lacks the scope alone: the request is counted."),
    },
  ),
  "429": failure(
    "The key's budget for the hour is spent, or an address has sent too many requests without a valid key.",
    "RATE_LIMIT_EXCEEDED",
    {
      budgetSpent: `The ${TIER_LIMITS.free} requests an hour of this key's tier (free) are spent. The budget is whole again in 1412 seconds.`,
      tooManyFailures:
        "Too many requests without a valid API key. Try again in 42 seconds. The last one: Invalid API key: unknown.",
    },
    {
      always: { "Retry-After": "Seconds to wait." },
      sometimes: limitHeadersWhere("Where it is the key's budget that is spent."),
    },
  ),
  "500": failure(
    "Server error: quote `meta.request_id` to support.",
    "INTERNAL_ERROR",
    "Internal error. Quote the request id (X-Request-Id) of this answer to support.",
    {
      sometimes: {
        ...limitHeadersWhere("Where the key was looked up: the request is counted."),
        "Retry-After": "Seconds to wait. Where the fault is known to pass.",
      },
    },
  ),
  default: failure(
    "The request cannot be read (`BAD_REQUEST`), or is of another method (`METHOD_NOT_ALLOWED`).",
    "BAD_REQUEST",
    "The request cannot be read: its path has malformed percent-encoding.",
    { sometimes: { Allow: "The methods that there are. Where the request is of another one." } },
  ),
};

function operation({ path, summary, scope, data, example }: Endpoint) {
  return {
    operationId: `get${path.charAt(1).toUpperCase()}${path.slice(2)}`,
    summary,
    description: `Needs the scope \`${scope}\`.`,
    security: [{ apiKey: [] }],
    responses: {
      "200": {
        description: summary,
        headers: describeHeaders({ ...COMMON_HEADERS, ...LIMIT_HEADERS }),
        content: json(successEnvelope(data), {
          example: { success: true, data: example, error: null, meta: META },
        }),
      },
      ...FAILURES,
    },
  };
}

/** OpenAPI 3.1 of the REST surface, made of the endpoints that serve it. */
export function describeApi() {
  return {
    openapi: "3.1.0",
    info: {
      title: "Carbon Gateway external API",
      version: API_VERSION,
      description:
        "Read-only emission, compliance, carbon-credit, benchmark and market-price data of one organization. Every answer has the same envelope.",
    },
    servers: [{ url: "/api/v1" }],
    components: {
      securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "X-API-Key" } },
    },
    paths: Object.fromEntries(
      endpoints.map((endpoint) => [`/ext/v1${endpoint.path}`, { get: operation(endpoint) }]),
    ),
  };
}
