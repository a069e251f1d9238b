import { z } from "zod";
import { TIER_LIMITS } from "../domain/tiers.js";
import type { Endpoint } from "./endpoint.js";
import { endpoints } from "./endpoints/index.js";
import { errorEnvelope, successEnvelope } from "./envelope.js";

const json = (schema: z.ZodType, example: unknown) => ({
  "application/json": { schema: z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" }), example },
});

const META = {
  request_id: "0b9fd6a2-4a0f-4f0e-9a38-5a1a3a0f1d3c",
  timestamp: "2026-11-20T10:00:00.000Z",
  version: "1.0",
};

const describeHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
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

function failure(description: string, code: string, message: string, headers: Record<string, string> = {}) {
  return {
    description,
    headers: describeHeaders({ ...COMMON_HEADERS, ...headers }),
    content: json(errorEnvelope, { success: false, data: null, error: { code, message }, meta: META }),
  };
}

const FAILURES = {
  "401": failure(
    "The API key is missing, malformed, unknown, revoked or expired, or lacks the scope.",
    "INVALID_KEY",
    "Invalid API key: expired.",
    { "WWW-Authenticate": "Always `ApiKey`." },
  ),
  "429": failure(
    "The key's budget for the hour is spent.",
    "RATE_LIMIT_EXCEEDED",
    `The ${TIER_LIMITS.free} requests an hour of this key's tier (free) are spent. The budget is whole again in 1412 seconds.`,
    { ...LIMIT_HEADERS, "Retry-After": "Seconds to wait." },
  ),
  "500": failure(
    "Server error: quote `meta.request_id` to support.",
    "INTERNAL_ERROR",
    "Internal error. Quote the request id (X-Request-Id) of this answer to support.",
  ),
  default: failure(
    "The request cannot be read (`BAD_REQUEST`), or is of another method (`METHOD_NOT_ALLOWED`).",
    "BAD_REQUEST",
    "The request cannot be read: its path has malformed percent-encoding.",
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
        content: json(successEnvelope(data), { success: true, data: example, error: null, meta: META }),
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
      version: "1.0",
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
