import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { readAsTenant } from "../../src/data/tenant/reader.js";
import { own } from "../../src/data/tenant/sources.js";
import { Prisma } from "../../src/generated/prisma/client.js";
import { limitTime } from "../../src/time-limit.js";
import { timed } from "../support/durations.js";
import { ORGANIZATION, selectColumn } from "../support/graph-fixtures.js";
import { signUp } from "../support/people.js";
import { openPostgres } from "../support/served.js";
import { type Gateway, NOW, startGateway } from "../support/server.js";
import { recordStatements } from "../support/statements.js";
import { draft, prepareVerification, step } from "../support/verification.js";
import { newTenant } from "./tenant.js";

/** Total time that a request may wait for PostgreSQL. */
const TIME_LIMIT_MS = 2_500;
const isOnServer = inject("template").kind === "postgres";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

async function newOrganization(): Promise<string> {
  const { slug } = await newTenant(gateway);
  const [id] = await selectColumn(gateway.database, `SELECT ${ORGANIZATION}::text`, slug);
  return id ?? "";
}

const within = (ms: number) => ({ now: NOW, inTime: limitTime(ms) });

const tooLongMessage = (seconds: string) =>
  `The request took longer than ${seconds} seconds. Try again in a moment, or request less data.`;
const tooLong = (seconds: string) =>
  expect.objectContaining({
    name: "AppError",
    code: "INTERNAL_ERROR",
    status: 500,
    message: tooLongMessage(seconds),
    headers: { "Retry-After": "2" },
  });

describe("a read of a request", () => {
  it("does not start once the time is up", async () => {
    const tenant = readAsTenant(gateway.database, await newOrganization(), within(50));
    // Some hundred milliseconds of work, which the embedded database cannot interrupt.
    const slow = Prisma.sql`SELECT (SELECT count(*) FROM generate_series(1, 3000000))::int AS n, (SELECT count(*) FROM ${own.facilities})::int AS f`;
    await Promise.all([tenant.query(slow).catch(() => undefined), delay(60)]);

    const { statements } = await recordStatements(async () => {
      await expect(tenant.query(Prisma.sql`SELECT 1 FROM ${own.facilities}`)).rejects.toEqual(
        tooLong("0.05"),
      );
    });
    expect(statements).toEqual([]);
  });

  it("is answered while time remains", async () => {
    const tenant = readAsTenant(gateway.database, await newOrganization(), within(10_000));
    expect(await tenant.query(Prisma.sql`SELECT count(*)::int AS count FROM ${own.facilities}`)).toEqual([
      { count: 0 },
    ]);
  });
});

describe("a mutation", () => {
  /** Starts a gateway whose transactions use up the time of a request. */
  async function withSlowWrites(work: (slow: Gateway) => Promise<void>) {
    const { database } = gateway;
    const slow = await startGateway({
      database: {
        ...database,
        timeLimitMs: TIME_LIMIT_MS,
        async transaction(...given) {
          const result = await database.transaction(...given);
          await delay(TIME_LIMIT_MS);
          return result;
        },
      },
    });
    try {
      await work(slow);
    } finally {
      await slow.stop();
    }
  }

  it("that used up its time is answered with what it wrote", () =>
    withSlowWrites(async (slow) => {
      const { graphql } = await signUp(slow);
      const { body } = await graphql(
        `mutation { createApiKey(input: { name: "ERP", scopes: ["read:emissions"], tier: FREE }) { apiKey { name } } }`,
      );
      expect(body).toMatchObject({ data: { createApiKey: { apiKey: { name: "ERP" } } } });
    }));

  it("that used up its time is answered with rows that are read after the write", () =>
    withSlowWrites(async (slow) => {
      const { ada, vera } = await prepareVerification(slow);
      const { path } = await draft(ada, vera);
      expect((await step(ada, path, "submit")).body.data).toMatchObject({ status: "submitted" });
    }));
});

describe.runIf(isOnServer)("a slow statement", () => {
  const connect = async () => {
    const client = new pg.Client({ connectionString: gateway.database.url });
    await client.connect();
    return client;
  };

  it("is abandoned in time, and ended by the statement limit of the database", async () => {
    const organizationId = await newOrganization();
    const database = openPostgres(gateway.database.url ?? "", {
      statementTimeoutMs: 4_000,
      onError: () => undefined,
    });
    const watcher = await connect();
    const running = async () => {
      const { rows } = await watcher.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()",
      );
      return rows.length;
    };
    try {
      // Opens a connection first, so that its time is not measured.
      await database.prisma.$queryRaw`SELECT 1`;
      const tenant = readAsTenant(database, organizationId, within(50));
      await expect(
        tenant.query(
          Prisma.sql`SELECT pg_sleep(600)::text FROM (SELECT count(*) FROM ${own.facilities}) AS once`,
        ),
      ).rejects.toEqual(tooLong("0.05"));
      expect(await running()).toBe(1);
      await expect.poll(running).toBe(0);
    } finally {
      await watcher.end();
      await database.close();
    }
  });

  /** Starts a gateway without a statement limit, and locks a table that its statements wait for. */
  async function withLock<T>(table: string, work: (locked: Gateway) => Promise<T>): Promise<T> {
    const database = openPostgres(gateway.database.url ?? "", {
      statementTimeoutMs: 0,
      onError: () => undefined,
    });
    const { url, waitForAnnouncements } = gateway.database;
    const locked = await startGateway({ database: { ...database, url, waitForAnnouncements } });
    const other = await connect();
    try {
      await other.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      return await work(locked);
    } finally {
      await other.end();
      await locked.stop();
      await database.close();
    }
  }

  /** Expects `work` to take no less than the limit. Its answer says that the limit ended it. */
  async function expectLimit<T>(work: () => Promise<T>): Promise<T> {
    const { ms, result } = await timed(work);
    expect(ms).toBeGreaterThan(TIME_LIMIT_MS - 100);
    return result;
  }

  it("that looks up a key is 500 with Retry-After, on both surfaces", async () => {
    // With two keys: a request that waits for another one's lookup repeats it if it fails.
    const [one, other] = [await newTenant(gateway), await newTenant(gateway)];
    await withLock("api_keys", async (locked) => {
      const [graph, rest] = await expectLimit(() =>
        Promise.all([
          locked.graphql("{ emissions { totalCo2eTonnes } }", one.key),
          locked.rest("/emissions", other.key),
        ]),
      );
      const error = { code: "INTERNAL_ERROR", message: tooLongMessage("2.5") };
      expect([graph.status, graph.headers.get("retry-after"), graph.body]).toEqual([
        500,
        "2",
        { errors: [{ message: error.message, extensions: { code: error.code } }] },
      ]);
      expect([rest.status, rest.headers.get("retry-after"), rest.body.error]).toEqual([500, "2", error]);
    });
  });

  it("that reads a table is 500 with Retry-After over REST, and nulls only its field in GraphQL", async () => {
    const { key, slug } = await newTenant(gateway);
    await withLock("emission_days", async (locked) => {
      const [graph, rest] = await expectLimit(() =>
        Promise.all([
          locked.graphql(
            "{ organization { slug } emissions { totalCo2eTonnes } credits { issuedCredits } }",
            key,
          ),
          locked.rest("/emissions", key),
        ]),
      );
      expect([rest.status, rest.headers.get("retry-after"), rest.body.error]).toEqual([
        500,
        "2",
        { code: "INTERNAL_ERROR", message: tooLongMessage("2.5") },
      ]);
      expect([graph.status, graph.headers.get("retry-after"), graph.body]).toEqual([
        200,
        "2",
        {
          data: { organization: { slug }, emissions: null, credits: { issuedCredits: 0 } },
          errors: [
            {
              message: tooLongMessage("2.5"),
              path: ["emissions", "totalCo2eTonnes"],
              locations: [expect.any(Object)],
              extensions: { code: "INTERNAL_ERROR" },
            },
          ],
        },
      ]);
    });
  });

  it("gives a caller who joins a waiting computation the full time limit of their own", async () => {
    const { key } = await newTenant(gateway);
    const query = "{ emissions { totalCo2eTonnes } }";
    const ask = async (client: Gateway) => {
      const answers = await Promise.all([client.rest("/emissions", key), client.graphql(query, key)]);
      return answers.map(({ headers, body }) => [headers.get("retry-after"), JSON.stringify(body)]);
    };
    await withLock("emission_days", async (locked) => {
      // Caches the key, so that requests wait only for their answers.
      await locked.rest("/credits", key);
      const first = ask(locked);
      await new Promise((resolve) => setTimeout(resolve, TIME_LIMIT_MS / 2));
      const [, second] = await Promise.all([first, expectLimit(() => ask(locked))]);
      for (const answer of second) expect(answer).toEqual(["2", expect.stringContaining("INTERNAL_ERROR")]);
    });
  });

  it("has its time counted from the end of the request body, however slowly it arrives", async () => {
    const { key, slug } = await newTenant(gateway);
    const body = JSON.stringify({ query: "{ organization { slug } }" });
    const headers = { "Content-Type": "application/json", "Content-Length": body.length, "X-API-Key": key };
    const sending = request(`${gateway.url}/graphql`, { method: "POST", headers });
    sending.write(body.slice(0, 10));
    await new Promise((resolve) => setTimeout(resolve, TIME_LIMIT_MS + 100));
    sending.end(body.slice(10));
    const [response] = (await once(sending, "response")) as [IncomingMessage];
    expect(JSON.parse(await text(response))).toMatchObject({ data: { organization: { slug } } });
  });
});
