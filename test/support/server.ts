import { generateKeyPairSync } from "node:crypto";
import { inject } from "vitest";
import { generateKey, type Pepper } from "../../src/access/secrets/api-key.js";
import { loadSample } from "../../src/actions/bundle/sample.js";
import type { StreamLimits } from "../../src/actions/events/streams.js";
import type { KeyRequest } from "../../src/actions/keys/create-key.js";
import { type CreatedKey, createRow, describeCreated } from "../../src/actions/keys/new-key.js";
import type { Extension } from "../../src/app/surfaces.js";
import { startApp } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
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
import { createTestLog, type LogLine, learnKeys, learnSecrets } from "./heard.js";

/** Signs the certificates of tests. */
export const CERTIFICATE_KEY = generateKeyPairSync("ed25519")
  .privateKey.export({ format: "der", type: "pkcs8" })
  .toString("base64");

/** "Now" of every test that does not set its own. */
export const NOW = new Date("2026-11-20T10:00:00.000Z");

export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The envelope, as a client reads it. */
export interface Envelope {
  readonly success: boolean;
  readonly data: unknown;
  readonly error: { code: string; message: string } | null;
  readonly meta: { request_id: string; timestamp: string; version: string };
}

// biome-ignore lint/suspicious/noExplicitAny: what a query answers is for its test to say
type Anything = any;

/** What GraphQL answers, its `extensions` apart. */
export interface GraphqlBody {
  data?: Anything;
  errors?: { message: string; path?: unknown[]; extensions: Anything }[];
}

export interface GraphqlAnswer extends Answer<GraphqlBody> {
  /** Of an operation that was answered. */
  readonly cost: number | undefined;
}

/** What calls a gateway, in this process or another. */
export interface Client {
  /** Where the gateway listens. */
  readonly url: string;
  /** Any request; the body is parsed where it is JSON. */
  call<Body>(path: string, init?: RequestInit): Promise<Answer<Body>>;
  /** GET of a REST endpoint, such as `/emissions`. */
  rest(path: string, key?: string, init?: RequestInit): Promise<Answer<Envelope>>;
  graphql(query: string, key?: string, variables?: object): Promise<GraphqlAnswer>;
}

export interface Gateway extends Client {
  readonly database: TestDatabase;
  /** Everything that it has logged so far. */
  readonly log: () => LogLine[];
  /** Moves the clock. */
  setNow(now: Date): void;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  readonly env?: Record<string, string>;
  readonly database?: TestDatabase;
  /** In the place of the one that tests read for secrets. */
  readonly log?: Log;
  readonly timeouts?: Timeouts;
  /** How webhooks reach the network, and how often it looks for what is to be delivered. */
  readonly webhooks?: WebhookOptions;
  /** How identity providers are reached. */
  readonly providers?: ProviderOptions;
  readonly deliveryMs?: number;
  /** Limits of streams of events. */
  readonly streamLimits?: StreamLimits;
  /** What is served beside the project's own graph and endpoints. */
  readonly extension?: Extension;
}

/** A client of the gateway that listens at `url`. Before each call it waits for what `ready` waits for. */
export function createClient(url: string, ready: () => Promise<void> = async () => undefined): Client {
  const call = async <Body>(path: string, init?: RequestInit): Promise<Answer<Body>> => {
    await ready();
    const response = await fetch(`${url}${path}`, init);
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "") && text !== "";
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : text) as Body,
    };
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
 * Starts the real application on a free port, on a database of its own and a clock that stands still. Its client's calls
 * are made when it has heard of what was written before; who asks with \`fetch\` alone may still get what is remembered.
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { env = {}, database: shared, timeouts = TIMEOUTS, extension } = options;
  const database = shared ?? (await openTestDatabase());
  let now = NOW;
  const redisUrl = inject("redisUrl");
  learnSecrets({ CERTIFICATE_KEY, ...env });
  const config = readConfig({
    PORT: "0",
    SHUTDOWN_DELAY_SECONDS: "0",
    CERTIFICATE_KEY,
    ...(redisUrl && { REDIS_URL: redisUrl }),
    ...env,
  });
  const heard = createTestLog();
  const log = options.log ?? heard.log;
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
    // Tests that look at statements must not meet those of this.
    deliveryMs: options.deliveryMs ?? 3_600_000,
    jobsMs: 3_600_000,
  });

  return {
    ...createClient(app.url, database.heard),
    database,
    log: heard.lines,
    setNow: (next) => {
      now = next;
    },
    async stop() {
      await app.stop();
      if (!shared) await database.close();
    },
  };
}

/**
 * Starts a gateway on a database with the sample of a first start, makes a key of its organization, and sets the policy of its
 * inventories.
 */
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

/** A new organization; returns its slug. */
export async function makeOrganization({ prisma }: Database, name = "Acme"): Promise<string> {
  made += 1;
  const slug = `org-${process.pid}-${made}`;
  await prisma.organization.create({ data: { slug, name } });
  return slug;
}

/** A key of every scope, Enterprise tier, unless told otherwise. Any number of them may have the same name. */
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
