import { type Environment, listMisspelled, parseVariables } from "./config/read-variables.js";
import type { Variables } from "./config/variables.js";
import { OperatorError } from "./errors.js";

/** A server with OpenAI's chat completions API. */
export interface ModelSettings {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | undefined;
}

/** Settings, parsed from the environment. OpenTelemetry reads its own. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Port of /metrics; undefined to serve it on `port`. */
  readonly metricsPort: number | undefined;
  readonly databaseUrl: string | undefined;
  /** Direct URL of PostgreSQL, if `databaseUrl` leads to a transaction pooler. */
  readonly databaseDirectUrl: string | undefined;
  /** URLs of streaming replicas, one server each. */
  readonly databaseReplicaUrls: readonly string[];
  readonly databaseReplicaMaxLagMs: number;
  readonly redisUrls: readonly string[] | undefined;
  readonly dataDir: string;
  /** False in production without DATA_DIR, because the operator has probably lost DATABASE_URL. */
  readonly mayCreateDatabase: boolean;
  readonly isProduction: boolean;
  readonly logLevel: Variables["LOG_LEVEL"];
  readonly introspection: boolean;
  readonly sandbox: boolean;
  /** True to serve the console at /console. */
  readonly console: boolean;
  /** True to serve the Model Context Protocol at /mcp. */
  readonly mcp: boolean;
  /** Path of a folder with the operator's own tools. */
  readonly mcpDocuments: string | undefined;
  /** Path of a file of trusted documents. */
  readonly trustedDocuments: string | undefined;
  readonly onlyTrusted: boolean;
  readonly corsOrigins: readonly string[];
  readonly trustProxy: number;
  readonly keyPepper: string | undefined;
  /** The previous pepper, or `none`. Keys and tokens that were hashed with it are still accepted. */
  readonly previousKeyPepper: string | undefined;
  /** The private key that signs certificates, PKCS#8 (DER) in base64. */
  readonly certificateKey: string | undefined;
  readonly authFailuresPerMinute: number;
  readonly sessionRequestsPerHour: number;
  readonly scimRequestsPerHour: number;
  /** Maximum size of an imported file, in bytes. */
  readonly importMaxBytes: number;
  /** SMTP server and sender of e-mails; undefined to send none. */
  readonly mail: { readonly url: string; readonly from: string } | undefined;
  /** Registration policy: by invitation, open to everyone, or closed. */
  readonly registration: NonNullable<Variables["REGISTRATION"]>;
  /** Origin at which browsers reach the gateway; undefined if only this machine can. */
  readonly publicUrl: string | undefined;
  /** The model that answers chat questions; undefined to answer only by rules. */
  readonly model: ModelSettings | undefined;
  /** Internal networks that webhooks may call, as CIDRs. */
  readonly webhookAllowNetworks: readonly string[];
  /** Internal networks that identity providers may be on, as CIDRs. */
  readonly oidcAllowNetworks: readonly string[];
  /** DNS servers for looking up the records of domains; empty for the system's. */
  readonly dnsServers: readonly string[];
  readonly shutdownDelaySeconds: number;
  /** Endpoint for traces; undefined for no traces. */
  readonly otlpEndpoint: string | undefined;
  /** Descriptions of variables that are probably misspelled settings. */
  readonly misspelled: readonly string[];
}

const LOOPBACK = ["127.0.0.1", "localhost", "::1", "[::1]"];

/** Returns true if only this machine can reach the gateway without a proxy. */
export const isLocal = ({ host }: Pick<Config, "host">): boolean => LOOPBACK.includes(host);

/** Returns true if users on other machines can sign in to the gateway's pages. */
const isPublic = (publicUrl: string | undefined): boolean =>
  publicUrl !== undefined && !isLocal({ host: new URL(publicUrl).hostname });

/** Returns a pepper that has white space around it, because earlier versions created keys with it. */
const findUntrimmed = (given: string | undefined, pepper: string | undefined) =>
  pepper === undefined || !given || given === pepper ? undefined : given;

/**
 * Reads the environment. Empty variables count as unset. Throws one OperatorError that lists all invalid variables
 * with the expected values. It omits the actual values, because some are secrets.
 */
export function readConfig(environment: Environment): Config {
  const { values, problems } = parseVariables(environment);
  if (problems.length > 0) {
    const lines = problems.map(({ text }) => `  ${text}`);
    throw new OperatorError(`Invalid environment variables:\n${lines.join("\n")}`, 2);
  }

  const read = values as Variables;
  const isProduction = read.NODE_ENV === "production";
  return {
    port: read.PORT,
    host: read.HOST,
    metricsPort: read.METRICS_PORT,
    databaseUrl: read.DATABASE_URL,
    databaseDirectUrl: read.DATABASE_DIRECT_URL,
    databaseReplicaUrls: read.DATABASE_REPLICA_URLS,
    databaseReplicaMaxLagMs: read.DATABASE_REPLICA_MAX_LAG_MS,
    redisUrls: read.REDIS_URL,
    dataDir: read.DATA_DIR ?? ".data",
    mayCreateDatabase: read.DATA_DIR !== undefined || !isProduction,
    isProduction,
    logLevel: read.LOG_LEVEL,
    introspection: read.GRAPHQL_INTROSPECTION ?? !isProduction,
    // Altair evaluates code, which an origin where users sign in must not allow.
    sandbox: read.GRAPHQL_SANDBOX ?? !(isProduction || isPublic(read.PUBLIC_URL)),
    console: read.CONSOLE,
    mcp: read.MCP,
    mcpDocuments: read.MCP_DOCUMENTS,
    trustedDocuments: read.GRAPHQL_TRUSTED_DOCUMENTS,
    onlyTrusted: read.GRAPHQL_ONLY_TRUSTED,
    corsOrigins: read.CORS_ORIGINS,
    trustProxy: read.TRUST_PROXY,
    keyPepper: read.KEY_PEPPER,
    previousKeyPepper: read.KEY_PEPPER_PREVIOUS ?? findUntrimmed(environment["KEY_PEPPER"], read.KEY_PEPPER),
    certificateKey: read.CERTIFICATE_KEY,
    authFailuresPerMinute: read.AUTH_FAILURES_PER_MINUTE,
    sessionRequestsPerHour: read.SESSION_REQUESTS_PER_HOUR,
    scimRequestsPerHour: read.SCIM_REQUESTS_PER_HOUR,
    importMaxBytes: read.IMPORT_MAX_BYTES,
    mail: read.SMTP_URL && read.MAIL_FROM ? { url: read.SMTP_URL, from: read.MAIL_FROM } : undefined,
    registration: read.REGISTRATION ?? (read.DATABASE_URL === undefined ? "open" : "invite"),
    publicUrl: read.PUBLIC_URL,
    model:
      read.AI_BASE_URL === undefined || read.AI_MODEL === undefined
        ? undefined
        : { baseUrl: read.AI_BASE_URL.replace(/\/+$/, ""), model: read.AI_MODEL, apiKey: read.AI_API_KEY },
    webhookAllowNetworks: read.WEBHOOK_ALLOW_NETWORKS,
    oidcAllowNetworks: read.OIDC_ALLOW_NETWORKS,
    dnsServers: read.DNS_SERVERS,
    shutdownDelaySeconds: read.SHUTDOWN_DELAY_SECONDS ?? (isProduction ? 3 : 0),
    otlpEndpoint: read.OTEL_EXPORTER_OTLP_ENDPOINT,
    misspelled: listMisspelled(environment),
  };
}
