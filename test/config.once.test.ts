import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "../src/config.js";
import { OperatorError } from "../src/errors.js";
import { temporaryFolder } from "./support/process.js";

/** Returns the error for an invalid environment. */
function problemOf(environment: Record<string, string>): OperatorError {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof OperatorError) return error;
    throw error;
  }
  throw new Error(`nothing is found wrong with ${JSON.stringify(environment)}`);
}

const DEFAULTS = {
  port: 4000,
  host: "127.0.0.1",
  metricsPort: undefined,
  databaseUrl: undefined,
  databaseDirectUrl: undefined,
  databaseReplicaUrls: [],
  databaseReplicaMaxLagMs: 5_000,
  redisUrls: undefined,
  dataDir: ".data",
  mayCreateDatabase: true,
  isProduction: false,
  logLevel: "info",
  introspection: true,
  sandbox: true,
  console: true,
  mcp: true,
  mcpDocuments: undefined,
  trustedDocuments: undefined,
  onlyTrusted: false,
  corsOrigins: [],
  trustProxy: 0,
  keyPepper: undefined,
  previousKeyPepper: undefined,
  authFailuresPerMinute: 600,
  sessionRequestsPerHour: 5_000,
  scimRequestsPerHour: 10_000,
  importMaxBytes: 536_870_912,
  registration: "open",
  publicUrl: undefined,
  webhookAllowNetworks: [],
  oidcAllowNetworks: [],
  dnsServers: [],
  shutdownDelaySeconds: 0,
  otlpEndpoint: undefined,
  misspelled: [],
};

describe("the environment", () => {
  it("may be empty: everything has a default", () => {
    expect(readConfig({})).toEqual(DEFAULTS);
  });

  it("names what is probably a misspelled setting, and nothing of the system, of Kubernetes or of other programs", () => {
    const wrong = {
      KEY_PEPER: "x",
      SMTP_URI_FILE: "/x",
      redis_url: "x",
      GRAPHQL_TRUSTED_DOCUMENT: "x",
      REDIS_URL_FLE: "x",
      KEY_PEPPERFILE: "x",
    };
    expect(readConfig(wrong).misspelled).toEqual([
      "KEY_PEPER is not a setting. Did you mean KEY_PEPPER?",
      "SMTP_URI_FILE is not a setting. Did you mean SMTP_URL_FILE?",
      "redis_url is not a setting. Did you mean REDIS_URL?",
      "GRAPHQL_TRUSTED_DOCUMENT is not a setting. Did you mean GRAPHQL_TRUSTED_DOCUMENTS?",
      "REDIS_URL_FLE is not a setting. Did you mean REDIS_URL_FILE?",
      "KEY_PEPPERFILE is not a setting. Did you mean KEY_PEPPER_FILE?",
    ]);
    const others =
      "HOME HOSTNAME PATH LANG TERM HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_OPTIONS NODE_VERSION NODE_PATH REDIS_PORT REDIS_SERVICE_HOST POSTGRES_PORT PGHOST PGUSER OTEL_EXPORTER_OTLP_HEADERS npm_config_cache XDG_DATA_DIRS";
    const given = Object.fromEntries(
      [...others.split(" "), ...Object.keys(process.env)].map((name) => [name, ""]),
    );
    expect(readConfig(given).misspelled).toEqual([]);
  });

  it("treats an empty variable as absent, and ignores unknown ones", () => {
    const empty = Object.fromEntries(
      ["PORT", "HOST", "DATABASE_URL", "REDIS_URL", "DATA_DIR", "LOG_LEVEL", "NODE_ENV", "CORS_ORIGINS"].map(
        (name) => [name, ""],
      ),
    );
    expect(readConfig({ ...empty, HOME: "/root", PORTS: "x" })).toEqual(DEFAULTS);
  });

  it("sets everything", () => {
    expect(
      readConfig({
        PORT: "0",
        HOST: "::",
        METRICS_PORT: "9464",
        DATABASE_URL: "postgresql://user:secret@db.example.com:5432/carbon?sslmode=require",
        DATABASE_DIRECT_URL: "postgresql://user:secret@direct.example.com/carbon",
        DATABASE_REPLICA_URLS: "postgresql://a.example.com/carbon, postgresql://b.example.com/carbon",
        DATABASE_REPLICA_MAX_LAG_MS: "250",
        REDIS_URL: "rediss://a.example.com:6379, rediss://b.example.com:6380",
        DATA_DIR: "/var/lib/gateway",
        LOG_LEVEL: "warn",
        NODE_ENV: "production",
        GRAPHQL_INTROSPECTION: "true",
        GRAPHQL_SANDBOX: "0",
        CONSOLE: "false",
        MCP: "false",
        MCP_DOCUMENTS: "/etc/gateway/tools",
        GRAPHQL_TRUSTED_DOCUMENTS: "/etc/gateway/documents.json",
        GRAPHQL_ONLY_TRUSTED: "1",
        CORS_ORIGINS: "https://a.example.com,http://localhost:3000",
        TRUST_PROXY: "2",
        KEY_PEPPER: "sixteen letters!",
        KEY_PEPPER_PREVIOUS: "sixteen letters?",
        AUTH_FAILURES_PER_MINUTE: "30",
        SESSION_REQUESTS_PER_HOUR: "1",
        SCIM_REQUESTS_PER_HOUR: "2",
        IMPORT_MAX_BYTES: "1000",
        REGISTRATION: "closed",
        PUBLIC_URL: "https://gateway.example.com:8443",
        WEBHOOK_ALLOW_NETWORKS: "10.20.0.0/16, fd00::/8",
        OIDC_ALLOW_NETWORKS: "10.30.0.0/16",
        DNS_SERVERS: "10.0.0.2,[fd00::2]:5353",
        SHUTDOWN_DELAY_SECONDS: "5",
        OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example.com:4318/otlp",
        OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
        OTEL_TRACES_SAMPLER_ARG: "0.25",
      }),
    ).toEqual({
      port: 0,
      host: "::",
      metricsPort: 9464,
      databaseUrl: "postgresql://user:secret@db.example.com:5432/carbon?sslmode=require",
      databaseDirectUrl: "postgresql://user:secret@direct.example.com/carbon",
      databaseReplicaUrls: ["postgresql://a.example.com/carbon", "postgresql://b.example.com/carbon"],
      databaseReplicaMaxLagMs: 250,
      redisUrls: ["rediss://a.example.com:6379", "rediss://b.example.com:6380"],
      dataDir: "/var/lib/gateway",
      mayCreateDatabase: true,
      isProduction: true,
      logLevel: "warn",
      introspection: true,
      sandbox: false,
      console: false,
      mcp: false,
      mcpDocuments: "/etc/gateway/tools",
      trustedDocuments: "/etc/gateway/documents.json",
      onlyTrusted: true,
      corsOrigins: ["https://a.example.com", "http://localhost:3000"],
      trustProxy: 2,
      keyPepper: "sixteen letters!",
      previousKeyPepper: "sixteen letters?",
      authFailuresPerMinute: 30,
      sessionRequestsPerHour: 1,
      scimRequestsPerHour: 2,
      importMaxBytes: 1_000,
      registration: "closed",
      publicUrl: "https://gateway.example.com:8443",
      webhookAllowNetworks: ["10.20.0.0/16", "fd00::/8"],
      oidcAllowNetworks: ["10.30.0.0/16"],
      dnsServers: ["10.0.0.2", "[fd00::2]:5353"],
      shutdownDelaySeconds: 5,
      otlpEndpoint: "https://collector.example.com:4318/otlp",
      misspelled: [],
    });
  });

  it("disables introspection and Sandbox in production, and delays shutdown, unless configured otherwise", () => {
    expect(readConfig({ NODE_ENV: "production" })).toEqual({
      ...DEFAULTS,
      mayCreateDatabase: false,
      isProduction: true,
      introspection: false,
      sandbox: false,
      shutdownDelaySeconds: 3,
    });
    expect(readConfig({ NODE_ENV: "production", SHUTDOWN_DELAY_SECONDS: "0" })).toMatchObject({
      shutdownDelaySeconds: 0,
    });
    expect(readConfig({ NODE_ENV: "production", GRAPHQL_INTROSPECTION: "1" })).toMatchObject({
      introspection: true,
      sandbox: false,
    });
    expect(readConfig({ GRAPHQL_SANDBOX: "false" })).toMatchObject({ introspection: true, sandbox: false });
  });

  it("disables explorers if users on other machines sign in, unless enabled", () => {
    const PUBLIC_URL = "https://carbon.example.com";
    expect(readConfig({ PUBLIC_URL })).toMatchObject({ introspection: true, sandbox: false });
    expect(readConfig({ PUBLIC_URL, GRAPHQL_SANDBOX: "true" }).sandbox).toBe(true);
    for (const local of ["http://localhost:4000", "http://127.0.0.1:4000", "http://[::1]:4000"]) {
      expect(readConfig({ PUBLIC_URL: local }).sandbox).toBe(true);
    }
  });

  it("allows registering only by invitation if the database is a server", () => {
    const DATABASE_URL = "postgresql://db.example.com/carbon";
    expect(readConfig({ DATABASE_URL })).toMatchObject({ registration: "invite" });
    expect(readConfig({ DATABASE_URL, REGISTRATION: "open" })).toMatchObject({ registration: "open" });
  });

  it("reports all invalid variables together, without values", () => {
    const wrong = {
      PORT: "70001",
      METRICS_PORT: "metrics",
      DATABASE_URL: "mysql://root:hunter2@db/carbon",
      REDIS_URL: "redis://a:6379,http://hunter3",
      LOG_LEVEL: "loud",
      GRAPHQL_INTROSPECTION: "perhaps",
      GRAPHQL_SANDBOX: "maybe",
      GRAPHQL_ONLY_TRUSTED: "never",
      CORS_ORIGINS: "https://a.example.com/path",
      TRUST_PROXY: "-1",
      KEY_PEPPER: "hunter4",
      KEY_PEPPER_PREVIOUS: "hunter5",
      AUTH_FAILURES_PER_MINUTE: "0",
      SESSION_REQUESTS_PER_HOUR: "0",
      REGISTRATION: "everybody",
      PUBLIC_URL: "https://gateway.example.com/",
      WEBHOOK_ALLOW_NETWORKS: "10.20.0.0/16,10.20.0.1",
      OIDC_ALLOW_NETWORKS: "10.30.0.1",
      DNS_SERVERS: "ns.example.com",
      SHUTDOWN_DELAY_SECONDS: "601",
      OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317",
      OTEL_TRACES_SAMPLER: "sometimes",
      OTEL_TRACES_SAMPLER_ARG: "1.01",
    };
    const { message, exitCode } = problemOf(wrong);

    expect(exitCode).toBe(2);
    expect(message.split("\n")).toEqual([
      "Invalid environment variables:",
      "  PORT must be a port, 0 to 65535",
      "  METRICS_PORT must be a port, 0 to 65535",
      "  DATABASE_URL must be a postgresql:// URL",
      "  REDIS_URL must be a redis:// or rediss:// URL whose path is empty or a database number, or several for a cluster, separated by commas",
      "  LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent",
      "  GRAPHQL_INTROSPECTION must be true or false",
      "  GRAPHQL_SANDBOX must be true or false",
      "  GRAPHQL_ONLY_TRUSTED must be true or false",
      "  CORS_ORIGINS must be origins such as https://example.com separated by commas, or *",
      "  TRUST_PROXY must be a number of proxy hops, 0 to 100",
      "  KEY_PEPPER must be a secret of at least 16 characters",
      "  KEY_PEPPER_PREVIOUS must be a secret of at least 16 characters, or none",
      "  AUTH_FAILURES_PER_MINUTE must be a number, at least 1",
      "  SESSION_REQUESTS_PER_HOUR must be a number, at least 1",
      "  REGISTRATION must be one of invite, open, closed",
      "  PUBLIC_URL must be an http:// or https:// URL without a path, such as https://example.com",
      "  WEBHOOK_ALLOW_NETWORKS must be networks such as 10.0.0.0/8 or fd00::/8, separated by commas",
      "  OIDC_ALLOW_NETWORKS must be networks such as 10.0.0.0/8 or fd00::/8, separated by commas",
      "  DNS_SERVERS must be addresses of name servers such as 10.0.0.2 or 10.0.0.2:5353, separated by commas",
      "  SHUTDOWN_DELAY_SECONDS must be a number of seconds, 0 to 600",
      "  OTEL_EXPORTER_OTLP_ENDPOINT must be an http:// or https:// URL",
      "  OTEL_TRACES_SAMPLER must be one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio",
      "  OTEL_TRACES_SAMPLER_ARG must be a ratio, 0 to 1",
    ]);
    for (const value of Object.values(wrong).filter((text) => text.length > 3)) {
      expect(message).not.toContain(value);
    }
    expect(message).not.toMatch(/hunter/);
  });

  it("ignores white space around every value, and accepts keys created with a pepper that had some", () => {
    const values = {
      PORT: "0",
      NODE_ENV: "production",
      DATABASE_URL: "postgresql://user:secret@db.example.com/carbon",
      DATABASE_REPLICA_URLS: "postgresql://a.example.com/carbon",
      KEY_PEPPER: "sixteen letters!",
      AI_BASE_URL: "https://models.example.com/v1",
      AI_MODEL: "stand-in",
      AI_API_KEY: "secret",
      SMTP_URL: "smtp://mail.example.com",
      MAIL_FROM: "no-reply@example.com",
    };
    const lines = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, ` ${value}\n`]));
    const expected = readConfig(values);
    expect(readConfig(lines)).toEqual({ ...expected, previousKeyPepper: " sixteen letters!\n" });
    expect(readConfig({ ...lines, KEY_PEPPER_PREVIOUS: "none\n" })).toEqual({
      ...expected,
      previousKeyPepper: "none",
    });
    expect(readConfig({ KEY_PEPPER: "\n" })).toEqual(DEFAULTS);
  });

  it.each([
    "//gateway:hunter#2@db.example.com/carbon",
    "//gateway:12#hunter@db.example.com/carbon",
    "//gateway:12/hunter@db.example.com/carbon",
    "//gateway:12?hunter@db.example.com/carbon",
    "//gateway:12@34#hunter@db.example.com/carbon",
    "//gateway:12@34/hunter@db.example.com/carbon",
  ])("asks to encode a password that would be taken for another part of a URL: %s", (rest) => {
    for (const [name, protocol] of [
      ["DATABASE_URL", "postgresql:"],
      ["DATABASE_DIRECT_URL", "postgresql:"],
      ["DATABASE_REPLICA_URLS", "postgresql:"],
      ["REDIS_URL", "rediss:"],
      ["SMTP_URL", "smtps:"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "https:"],
    ] as const) {
      const [problem, ...others] = problemOf({
        DATABASE_URL: "postgresql://x/y",
        ...(name === "SMTP_URL" && { MAIL_FROM: "a@example.com" }),
        [name]: protocol + rest,
      })
        .message.split("\n  ")
        .slice(1);
      expect([problem, others]).toEqual([
        expect.stringMatching(
          new RegExp(`^${name} must be .*, with #, / and \\? percent-encoded in its user and password$`),
        ),
        [],
      ]);
    }
  });

  it("reads every value from a file that is named instead", () => {
    const folder = temporaryFolder();
    const fileOf = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const values = { DATABASE_URL: "postgresql://x/y", KEY_PEPPER: "sixteen letters!", TRUST_PROXY: "2" };
    const files = Object.entries(values).map(([name, value]) => [`${name}_FILE`, fileOf(name, `${value}\n`)]);
    expect(readConfig(Object.fromEntries(files))).toEqual(readConfig(values));
    expect(readConfig({ KEY_PEPPER_FILE: "" })).toEqual(DEFAULTS);
    expect(
      problemOf({
        ...values,
        KEY_PEPPER_FILE: fileOf("other", "hunter2hunter2hunter2"),
        SMTP_URL_FILE: join(folder, "none"),
        REDIS_URL_FILE: fileOf("redis", "hunter2"),
        CERTIFICATE_KEY_FILE: fileOf("empty", "\n"),
      })
        .message.split("\n  ")
        .slice(1),
    ).toEqual([
      "KEY_PEPPER and KEY_PEPPER_FILE must not both be set",
      "CERTIFICATE_KEY_FILE names an empty file",
      "SMTP_URL_FILE must name a file that this user can read (ENOENT)",
      "REDIS_URL_FILE must name a file that holds a redis:// or rediss:// URL whose path is empty or a database number, or several for a cluster, separated by commas",
    ]);
  });

  it.each(["DATABSE_URL", "DATABASE_URI_FILE", "DATABASE_URLFILE"])(
    "refuses %s, without which the database would be embedded",
    (name) => {
      const given = { [name]: "postgresql://user:hunter2@x/y" };
      const { message, exitCode } = problemOf(given);
      expect([message, exitCode]).toEqual([
        expect.stringMatching(`\n  ${name} is not a setting, but DATABASE_URL(_FILE)? is$`),
        2,
      ]);
      expect(readConfig({ ...given, DATABASE_URL: "postgresql://x/y" }).misspelled).toHaveLength(1);
      expect(readConfig({ [name]: "" }).databaseUrl).toBeUndefined();
    },
  );

  it("only warns of a similar name whose value is no database", () => {
    expect(readConfig({ DATABASE_SSL: "true" }).misspelled).toEqual([
      "DATABASE_SSL is not a setting. Did you mean DATABASE_URL?",
    ]);
  });

  it("accepts an @ in a parameter of a URL", () => {
    const DATABASE_URL = "postgresql://db.example.com/carbon?user=gateway@server&password=p%23@ss";
    expect(readConfig({ DATABASE_URL })).toMatchObject({ databaseUrl: DATABASE_URL });
  });

  it("requires distinct ports, except for two free ones", () => {
    for (const same of [{ PORT: "4000", METRICS_PORT: "4000" }, { METRICS_PORT: "4000" }]) {
      expect(problemOf(same).message).toBe(
        "Invalid environment variables:\n  METRICS_PORT must not be the same as PORT",
      );
    }
    expect(readConfig({ PORT: "0", METRICS_PORT: "0" })).toMatchObject({ port: 0, metricsPort: 0 });
  });

  it("requires DATABASE_URL if DATABASE_DIRECT_URL is set", () => {
    const direct = { DATABASE_DIRECT_URL: "postgresql://db.example.com/carbon" };
    expect(problemOf({ ...direct, DATABASE_URL: "" }).message).toBe(
      "Invalid environment variables:\n  DATABASE_URL must be set if DATABASE_DIRECT_URL is",
    );
  });

  it("refuses replicas without a primary or listed twice, and a lag limit without replicas", () => {
    const problem = (environment: Record<string, string>) => problemOf(environment).message.split("\n  ")[1];
    const [DATABASE_URL, replica] = [
      "postgresql://a.example.com/carbon",
      "postgresql://b.example.com/carbon",
    ];
    expect(problem({ DATABASE_REPLICA_URLS: replica })).toBe(
      "DATABASE_URL must be set if DATABASE_REPLICA_URLS is",
    );
    const once = "DATABASE_REPLICA_URLS must list each replica once, and not the URL in DATABASE_URL";
    expect(problem({ DATABASE_URL, DATABASE_REPLICA_URLS: `${replica},${replica}` })).toBe(once);
    expect(problem({ DATABASE_URL, DATABASE_REPLICA_URLS: DATABASE_URL })).toBe(once);
    expect(problem({ DATABASE_URL, DATABASE_REPLICA_URLS: "redis://b.example.com" })).toBe(
      "DATABASE_REPLICA_URLS must be up to 10 postgresql:// URLs, separated by commas",
    );
    expect(problem({ DATABASE_URL, DATABASE_REPLICA_MAX_LAG_MS: "100" })).toBe(
      "DATABASE_REPLICA_URLS must be set if DATABASE_REPLICA_MAX_LAG_MS is",
    );
    expect(problem({ DATABASE_URL, DATABASE_REPLICA_URLS: replica, DATABASE_REPLICA_MAX_LAG_MS: "0" })).toBe(
      "DATABASE_REPLICA_MAX_LAG_MS must be a number of milliseconds, 1 to 3600000",
    );
  });

  it("requires cluster nodes with the same credentials and no database", () => {
    const nodes = (...urls: string[]) => ({ REDIS_URL: urls.join(",") });
    const wayIn = "REDIS_URL must have the same protocol, user and password for all nodes of a cluster";
    for (const wrong of [
      nodes("redis://a", "rediss://b"),
      nodes("redis://:hunter2@a", "redis://b"),
      nodes("redis://x:hunter2@a", "redis://y:hunter2@b"),
    ]) {
      expect(problemOf(wrong).message).toBe(`Invalid environment variables:\n  ${wayIn}`);
    }
    expect(problemOf(nodes("redis://a/0", "redis://b/1")).message).toBe(
      "Invalid environment variables:\n  REDIS_URL must not name a database other than 0 for a cluster",
    );
    const right = ["rediss://x:hunter2@a/0", "rediss://x:hunter2@b:6380/"];
    expect(readConfig(nodes(...right)).redisUrls).toEqual(right);
  });

  it("requires a file of trusted documents if only these are served", () => {
    expect(problemOf({ GRAPHQL_ONLY_TRUSTED: "true" }).message).toBe(
      "Invalid environment variables:\n  GRAPHQL_TRUSTED_DOCUMENTS must be set if GRAPHQL_ONLY_TRUSTED is true",
    );
  });

  it("requires a previous pepper that differs from the current one", () => {
    const same = { KEY_PEPPER: "sixteen letters!", KEY_PEPPER_PREVIOUS: "sixteen letters!" };
    for (const wrong of [same, { KEY_PEPPER_PREVIOUS: "none" }]) {
      expect(problemOf(wrong).message).toBe(
        "Invalid environment variables:\n  KEY_PEPPER_PREVIOUS must not be the same as KEY_PEPPER",
      );
    }
    expect(problemOf({ KEY_PEPPER: "short", KEY_PEPPER_PREVIOUS: "none" }).message).toBe(
      "Invalid environment variables:\n  KEY_PEPPER must be a secret of at least 16 characters",
    );
    expect(readConfig({ KEY_PEPPER: "sixteen letters!", KEY_PEPPER_PREVIOUS: "none" })).toMatchObject({
      previousKeyPepper: "none",
    });
  });

  it.each([
    ["PORT", "4000x"],
    ["PORT", "0x50"],
    ["PORT", "1e3"],
    ["PORT", "65536"],
    ["DATABASE_URL", "localhost:5432"],
    ["REDIS_URL", "redis://a:6379,"],
    ["REDIS_URL", "redis://a:6379/abc"],
    ["REDIS_URL", "redis://a:6379/-1"],
    ["REDIS_URL", "redis://a:6379/1/2"],
    ["CORS_ORIGINS", "example.com"],
    ["CORS_ORIGINS", "https://a.example.com,"],
    ["GRAPHQL_INTROSPECTION", "yes"],
  ])("refuses a typo: %s=%j", (name, value) => {
    expect(problemOf({ [name]: value }).message.split("\n")).toEqual([
      "Invalid environment variables:",
      expect.stringMatching(new RegExp(`^ {2}${name} must be `)),
    ]);
  });

  it.each(["prod", "Production", "staging", "none"])(
    "refuses %s for NODE_ENV, which would open the explorers",
    (name) => {
      expect(problemOf({ NODE_ENV: name }).message).toContain(
        "NODE_ENV must be one of production, development, test",
      );
    },
  );

  it("treats an empty NODE_ENV as development", () => {
    expect(readConfig({ NODE_ENV: "" })).toEqual(readConfig({ NODE_ENV: "development" }));
    expect(readConfig({ NODE_ENV: "test" }).sandbox).toBe(true);
  });
});
