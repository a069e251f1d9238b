import { generateKeyPairSync } from "node:crypto";
import { generateKey, type Pepper } from "../../src/access/secrets/api-key.js";
import { loadSample } from "../../src/actions/bundle/sample.js";
import type { StreamLimits } from "../../src/actions/events/streams.js";
import type { KeyRequest } from "../../src/actions/keys/create-key.js";
import { type CreatedKey, createRow, describeCreated } from "../../src/actions/keys/new-key.js";
import type { Extension } from "../../src/app/surfaces.js";
import { write } from "../../src/data/database/transaction.js";
import type { Database } from "../../src/data/database/types.js";
import { insertKey } from "../../src/data/keys/write-keys.js";
import type { ProviderOptions } from "../../src/delivery/provider.js";
import type { WebhookOptions } from "../../src/delivery/webhook.js";
import { KEY_SCOPES } from "../../src/domain/scopes.js";
import { TIMEOUTS, type Timeouts } from "../../src/http/server/timeouts.js";
import type { Log } from "../../src/log.js";
import { SAMPLE_FOLDER } from "../../src/paths.js";
import { openTestDatabase, type TestDatabase } from "./database.js";
import { expectDescribed } from "./described-answers.js";
import { redisUrl } from "./redis-url.js";
import { createTestLog, type LogLine, learnKeys, learnSecrets } from "./secrets.js";
import { readConfig, startApp } from "./served.js";

/** Key that signs the certificates of tests. */
export const CERTIFICATE_KEY = generateKeyPairSync("ed25519")
  .privateKey.export({ format: "der", type: "pkcs8" })
  .toString("base64");

/** The default time of tests. */
export const NOW = new Date("2026-11-20T10:00:00.000Z");

export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** A REST answer, as a client reads it. */
export interface Envelope {
  readonly success: boolean;
  readonly data: unknown;
  readonly error: { code: string; message: string } | null;
  readonly meta: { request_id: string; timestamp: string; version: string };
}

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape of its response
type Anything = any;

/** A GraphQL answer without its `extensions`. */
export interface GraphqlBody {
  data?: Anything;
  errors?: { message: string; path?: unknown[]; extensions: Anything }[];
}

export interface GraphqlAnswer extends Answer<GraphqlBody> {
  /** Undefined if the operation was refused. */
  readonly cost: number | undefined;
}

/** A client of a gateway in this process or another. */
export interface Client {
  readonly url: string;
  /** Sends a request; a JSON body is parsed. */
  call<Body>(path: string, init?: RequestInit): Promise<Answer<Body>>;
  /** Sends GET to one of the five REST endpoints, such as `/emissions`. */
  rest(path: string, key?: string, init?: RequestInit): Promise<Answer<Envelope>>;
  graphql(query: string, key?: string, variables?: object): Promise<GraphqlAnswer>;
}

export interface Gateway extends Client {
  readonly database: TestDatabase;
  readonly log: () => LogLine[];
  setNow(now: Date): void;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  readonly env?: Record<string, string>;
  readonly database?: TestDatabase;
  /** Replaces the log that is searched for secrets. */
  readonly log?: Log;
  readonly timeouts?: Timeouts;
  /** Network access of webhooks. */
  readonly webhooks?: WebhookOptions;
  /** Network access to identity providers. */
  readonly providers?: ProviderOptions;
  readonly deliveryMs?: number;
  readonly streamLimits?: StreamLimits;
  /** Additional types and endpoints to serve. */
  readonly extension?: Extension;
}

/** Creates a client of the gateway at `url`. Before each call it waits for `ready`. */
export function createClient(url: string, ready: () => Promise<void> = async () => undefined): Client {
  const call = async <Body>(path: string, init?: RequestInit): Promise<Answer<Body>> => {
    await ready();
    const response = await fetch(`${url}${path}`, init);
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "") && text !== "";
    const { status, headers } = response;
    const answer = { status, headers, body: (isJson ? JSON.parse(text) : text) as Body };
    await expectDescribed(path, init?.method ?? "GET", answer);
    return answer;
  };
  const withKey = (key: string | undefined): Record<string, string> =>
    key === undefined ? {} : { "X-API-Key": key };

  return {
    url,
    call,
    rest: (path, key, init = {}) =>
      call(`/api/v1/ext/v1${path}`, { ...init, headers: { ...withKey(key), ...init.headers } }),
    async graphql(query, key, variables) {
      const answer = await call<GraphqlBody & { extensions?: { cost?: number } }>("/graphql", {
        method: "POST",
        headers: { "Content-Type": "application/json", ...withKey(key) },
        body: JSON.stringify({ query, variables }),
      });
      const { extensions, ...body } = answer.body;
      return { ...answer, body, cost: extensions?.cost };
    },
  };
}

/**
 * Starts the real application on a free port, with a new database and a fixed clock. Before each call, its client waits
 * for the announcements of earlier writes; plain `fetch` may still be answered from the cache.
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { env = {}, database: shared, timeouts = TIMEOUTS, extension } = options;
  const database = shared ?? (await openTestDatabase());
  let now = NOW;
  learnSecrets({ CERTIFICATE_KEY, ...env });
  const config = readConfig({
    PORT: "0",
    SHUTDOWN_DELAY_SECONDS: "0",
    CERTIFICATE_KEY,
    ...(redisUrl && { REDIS_URL: redisUrl }),
    ...env,
  });
  const testLog = createTestLog();
  const log = options.log ?? testLog.log;
  const app = await startApp({
    config,
    database,
    log,
    clock: () => now,
    timeouts,
    ...(extension && { extension }),
    ...(options.streamLimits && { streamLimits: options.streamLimits }),
    ...(options.webhooks && { webhooks: options.webhooks }),
    ...(options.providers && { providers: options.providers }),
    // Tests that record statements must not see those of jobs.
    deliveryMs: options.deliveryMs ?? 3_600_000,
    jobsMs: 3_600_000,
  });

  return {
    ...createClient(app.url, database.waitForAnnouncements),
    database,
    log: testLog.lines,
    setNow: (next) => {
      now = next;
    },
    async stop() {
      await app.stop();
      if (!shared) await database.close();
    },
  };
}

/** Starts a gateway with the sample data, creates a key of its organization, and sets the policy of its inventories. */
export async function startSampleGateway(): Promise<{ gateway: Gateway; key: string }> {
  const gateway = await startGateway();
  await loadSample(gateway.database, SAMPLE_FOLDER, NOW);
  await gateway.database.prisma.inventoryPolicy.create({
    data: {
      organization: { connect: { slug: "demo" } },
      fromYear: 2025,
      approach: "operational_control",
      scopes: ["scope_1", "scope_2"],
      chosenAt: NOW,
    },
  });
  const { key } = await makeKey(gateway.database, "demo");
  return { gateway, key };
}

let made = 0;

/** Creates an organization; returns its slug. */
export async function makeOrganization({ prisma }: Database, name = "Acme"): Promise<string> {
  made += 1;
  const slug = `org-${process.pid}-${made}`;
  await prisma.organization.create({ data: { slug, name } });
  return slug;
}

/** Creates a key, by default with every scope and the Enterprise tier. Names may repeat. */
export async function makeKey(
  database: Database,
  organization: string,
  { pepper, text = generateKey(), ...overrides }: KeySettings = {},
): Promise<CreatedKey> {
  learnKeys(text);
  const { id } = await database.prisma.organization.findUniqueOrThrow({ where: { slug: organization } });
  const settings = { name: "test", tier: "enterprise" as const, scopes: KEY_SCOPES, expiresAt: null };
  const row = createRow(
    { pepper, now: new Date(0) },
    { ...settings, ...overrides, organizationId: id },
    text,
  );
  const added = await write(database, "keys create", (sql) => insertKey(sql, row));
  return describeCreated(text, organization, added);
}

type KeySettings = Partial<Omit<KeyRequest, "organization">> & {
  readonly pepper?: Pepper;
  readonly text?: string;
};
