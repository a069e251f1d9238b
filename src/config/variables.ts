import { createPrivateKey } from "node:crypto";
import { Resolver } from "node:dns";
import ipaddr from "ipaddr.js";
import { z } from "zod";

const flag = z.enum(["true", "false", "1", "0"]).transform((value) => value === "true" || value === "1");
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max));
/** Message about a URL whose password would be taken for another part of it. */
export const NOT_ENCODED = "with #, / and ? percent-encoded in its user and password";
/**
 * Returns false if the user or password of a URL contains a character that must be percent-encoded. A parser would take
 * part of such a password for the host, the port or the database, which appear in messages.
 */
const isEncoded = (value: string) => {
  const [, path = "", search = ""] = /^[^:]*:\/\/[^/?#]*([^?]*)(.*)$/s.exec(value) ?? [];
  const parameters = search.slice(1).split("&");
  return (
    !value.includes("#") &&
    !path.includes("@") &&
    parameters.every((parameter) => !parameter.includes("@") || /^\w+=/.test(parameter))
  );
};
const url = (protocols: string[], path = /^/) =>
  z
    .string()
    .refine((value) => protocols.some((protocol) => value.toLowerCase().startsWith(`${protocol}//`)), {
      abort: true,
    })
    .refine(isEncoded, { abort: true, error: NOT_ENCODED })
    .refine((value) => URL.canParse(value) && path.test(new URL(value).pathname));
const isOrigin = (value: string) => URL.canParse(value) && new URL(value).origin === value;
/** Reads a private key for certificates: Ed25519 in PKCS#8 (DER), in base64. Throws for anything else. */
export function readPrivateKey(text: string) {
  const key = createPrivateKey({ key: Buffer.from(text, "base64"), format: "der", type: "pkcs8" });
  if (key.asymmetricKeyType === "ed25519") return key;
  throw new TypeError(`expected an Ed25519 key, got ${key.asymmetricKeyType}`);
}
const isNameServer = (text: string) => {
  try {
    new Resolver().setServers([text]);
    return true;
  } catch {
    return false;
  }
};
const isPrivateKey = (text: string) => {
  try {
    return readPrivateKey(text) !== undefined;
  } catch {
    return false;
  }
};
const list = (item: z.ZodString) =>
  z
    .string()
    .transform((value) => value.split(",").map((part) => part.trim()))
    .pipe(z.array(item).min(1));

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const ENVIRONMENTS = ["production", "development", "test"] as const;

const REGISTRATIONS = ["invite", "open", "closed"] as const;

const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** Schema of each variable, with a description of valid values. */
export const VARIABLES = {
  PORT: [whole(0, 65_535).default(4000), "a port, 0 to 65535"],
  HOST: [z.string().min(1).default("127.0.0.1"), "an address to listen on"],
  METRICS_PORT: [whole(0, 65_535).optional(), "a port, 0 to 65535"],
  DATABASE_URL: [url(["postgres:", "postgresql:"]).optional(), "a postgresql:// URL"],
  DATABASE_DIRECT_URL: [url(["postgres:", "postgresql:"]).optional(), "a postgresql:// URL"],
  DATABASE_REPLICA_URLS: [
    list(url(["postgres:", "postgresql:"]))
      .pipe(z.array(z.string()).max(10))
      .default([]),
    "up to 10 postgresql:// URLs, separated by commas",
  ],
  DATABASE_REPLICA_MAX_LAG_MS: [whole(1, 3_600_000).default(5_000), "a number of milliseconds, 1 to 3600000"],
  REDIS_URL: [
    list(url(["redis:", "rediss:"], /^(\/\d*)?$/)).optional(),
    "a redis:// or rediss:// URL whose path is empty or a database number, or several for a cluster, separated by commas",
  ],
  DATA_DIR: [z.string().min(1).optional(), "a folder"],
  LOG_LEVEL: [z.enum(LOG_LEVELS).default("info"), `one of ${LOG_LEVELS.join(", ")}`],
  NODE_ENV: [z.enum(ENVIRONMENTS).default("development"), `one of ${ENVIRONMENTS.join(", ")}`],
  GRAPHQL_INTROSPECTION: [flag.optional(), "true or false"],
  GRAPHQL_SANDBOX: [flag.optional(), "true or false"],
  CONSOLE: [flag.default(true), "true or false"],
  MCP: [flag.default(true), "true or false"],
  MCP_DOCUMENTS: [z.string().min(1).optional(), "a folder of documents with @tool"],
  GRAPHQL_TRUSTED_DOCUMENTS: [z.string().min(1).optional(), "a file of trusted documents"],
  GRAPHQL_ONLY_TRUSTED: [flag.default(false), "true or false"],
  CORS_ORIGINS: [
    list(z.string().refine((origin) => origin === "*" || isOrigin(origin))).default([]),
    "origins such as https://example.com separated by commas, or *",
  ],
  TRUST_PROXY: [whole(0, 100).default(0), "a number of proxy hops, 0 to 100"],
  KEY_PEPPER: [z.string().min(16).optional(), "a secret of at least 16 characters"],
  KEY_PEPPER_PREVIOUS: [
    z.union([z.literal("none"), z.string().min(16)]).optional(),
    "a secret of at least 16 characters, or none",
  ],
  CERTIFICATE_KEY: [
    z.string().refine(isPrivateKey).optional(),
    "an Ed25519 private key in PKCS#8 (DER), in base64, as printed by `openssl genpkey -algorithm ed25519 -outform DER | base64 -w0`",
  ],
  AUTH_FAILURES_PER_MINUTE: [whole(1, 999_999_999).default(600), "a number, at least 1"],
  SESSION_REQUESTS_PER_HOUR: [whole(1, 999_999_999).default(5_000), "a number, at least 1"],
  SCIM_REQUESTS_PER_HOUR: [whole(1, 999_999_999).default(10_000), "a number, at least 1"],
  IMPORT_MAX_BYTES: [whole(1, 999_999_999).default(512 * 1024 * 1024), "a number of bytes, at least 1"],
  SMTP_URL: [url(["smtp:", "smtps:"]).optional(), "an smtp:// or smtps:// URL"],
  MAIL_FROM: [
    z
      .string()
      .regex(/^(?:[^<>\p{Cc}]* )?<?[^\s<>@]+@[^\s<>@]+>?$/u)
      .optional(),
    "an address such as Carbon Gateway <no-reply@example.com>",
  ],
  REGISTRATION: [z.enum(REGISTRATIONS).optional(), `one of ${REGISTRATIONS.join(", ")}`],
  PUBLIC_URL: [
    url(["http:", "https:"]).refine(isOrigin).optional(),
    "an http:// or https:// URL without a path, such as https://example.com",
  ],
  AI_BASE_URL: [
    url(["http:", "https:"])
      .refine((value) => new URL(value).username + new URL(value).search === "")
      .optional(),
    "an http:// or https:// URL without a user, a password or a query, such as https://example.com/v1",
  ],
  AI_MODEL: [z.string().min(1).max(200).optional(), "the name of a model"],
  AI_API_KEY: [
    z
      .string()
      .regex(/^[!-~]+$/)
      .optional(),
    "a key without spaces",
  ],
  WEBHOOK_ALLOW_NETWORKS: [
    list(z.string().refine((network) => ipaddr.isValidCIDR(network))).default([]),
    "networks such as 10.0.0.0/8 or fd00::/8, separated by commas",
  ],
  OIDC_ALLOW_NETWORKS: [
    list(z.string().refine((network) => ipaddr.isValidCIDR(network))).default([]),
    "networks such as 10.0.0.0/8 or fd00::/8, separated by commas",
  ],
  DNS_SERVERS: [
    list(z.string().refine(isNameServer)).default([]),
    "addresses of name servers such as 10.0.0.2 or 10.0.0.2:5353, separated by commas",
  ],
  SHUTDOWN_DELAY_SECONDS: [whole(0, 600).optional(), "a number of seconds, 0 to 600"],
  OTEL_EXPORTER_OTLP_ENDPOINT: [url(["http:", "https:"]).optional(), "an http:// or https:// URL"],
  // OpenTelemetry's SDK reads these two itself, but silently replaces an invalid value with its default.
  OTEL_TRACES_SAMPLER: [z.enum(SAMPLERS).optional(), `one of ${SAMPLERS.join(", ")}`],
  OTEL_TRACES_SAMPLER_ARG: [
    z
      .string()
      .regex(/^[01](\.\d+)?$/)
      .refine((ratio) => Number(ratio) <= 1)
      .optional(),
    "a ratio, 0 to 1",
  ],
} satisfies Record<string, [z.ZodType, string]>;

export type Variables = { [Name in keyof typeof VARIABLES]: z.output<(typeof VARIABLES)[Name][0]> };
