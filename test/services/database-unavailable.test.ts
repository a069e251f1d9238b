import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openPostgres } from "../../src/data/database/server/postgres.js";
import { INTERNAL_ERROR_MESSAGE } from "../../src/http/answer/failure.js";
import { signUp } from "../support/people.js";
import { withClient } from "../support/pg-client.js";
import { type RunningProcess, startInProduction, warmUp } from "../support/process.js";
import { redisUrl } from "../support/redis-url.js";
import { type Answer, type Envelope, makeKey, makeOrganization } from "../support/server.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
import { useDatabase } from "../support/use.js";

const PATHS = ["/emissions", "/compliance", "/credits", "/benchmarks", "/market"];
const PATIENCE = { timeout: 60_000, interval: 50 };
/** The two possible messages if the database does not answer. */
const MESSAGES = [
  INTERNAL_ERROR_MESSAGE,
  "The request took longer than 2.5 seconds. Try again in a moment, or request less data.",
];

let proxy: TcpProxy;
let gateway: RunningProcess;
let key: string;

const database = useDatabase();
beforeAll(async () => {
  const url = new URL(database.url ?? "");
  proxy = await startTcpProxy(url);
  url.host = `127.0.0.1:${proxy.port}`;
  gateway = await startInProduction({ DATABASE_URL: url.href, REDIS_URL: redisUrl ?? "" });
  ({ key } = await makeKey(database, await makeOrganization(database)));
  await warmUp(gateway, key);
});
afterAll(async () => {
  await gateway.stop("SIGKILL");
  await proxy.close();
});

const askAtOnce = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => gateway.rest(PATHS[index % 5] ?? "", key)));
const askGraph = () => gateway.graphql("{ organization { slug } emissions { recordCount } }", key);

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);
const times = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);

/** Fills the pool, so that every request uses a connection that was already open. */
beforeEach(async () => {
  await expect.poll(async () => (await gateway.ready()).status, PATIENCE).toBe(200);
  expect(statuses(await askAtOnce(50))).toEqual(times(50, 200));
});

it("reconnects its listener while requests use every other connection", async () => {
  const crowded = openPostgres(database.url ?? "", { statementTimeoutMs: 0, onError: () => undefined });
  const sleeping = times(30, "SELECT pg_sleep(3)::text").map((text) => crowded.select(text, []));
  await expect.poll(() => crowded.connections()?.waiting, PATIENCE).toBe(20);
  const listening = await crowded.listen("gateway_changes", {
    onMessage: () => undefined,
    onLost: () => undefined,
  });
  expect(crowded.connections()?.waiting).toBeGreaterThan(0);
  expect(listening.isListening()).toBe(true);
  await listening.stop();
  await Promise.allSettled(sleeping);
  await crowded.close();
});

/** Waits until the cache is off: a gateway notices within a second that it cannot hear the database. */
async function expectNothingRemembered(): Promise<void> {
  await expect.poll(async () => (await gateway.rest("/emissions", key)).status, PATIENCE).toBe(500);
}

/** Expects the exact error without a database, with its cause only in the log. */
async function expectMasked({ status, headers, body }: Answer): Promise<void> {
  const requestId = headers.get("x-request-id");
  expect([status, headers.get("retry-after")]).toEqual([500, "2"]);
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  const { message = "" } = errorOf(body);
  expect(MESSAGES).toContain(message);
  const code = "INTERNAL_ERROR";
  const error = { code, message };
  expect([
    { success: false, data: null, error, meta: { ...metaOf(body), request_id: requestId, version: "1.0" } },
    { errors: [{ message, extensions: { code } }] },
  ]).toContainEqual(body);
  const causes = () => gateway.log().filter((line) => line["request_id"] === requestId && line["err"]);
  // The process's output may arrive a moment later.
  await expect.poll(() => causes().map(({ msg }) => msg), PATIENCE).toEqual(["request failed"]);
}

/** Expects the answer to a write without a database. */
function expectRefused({ status, headers, body }: Answer<Envelope>): void {
  expect(status).toBe(503);
  expect(headers.get("retry-after")).toBe("2");
  expect(body.error).toEqual({
    code: "INTERNAL_ERROR",
    message: expect.stringMatching(/^The database is unavailable or overloaded\. .*Try again in /),
  });
}

/** Returns the error of an answer of either surface. */
function errorOf(body: unknown): { message?: string } {
  const { error, errors } = body as { error?: { message: string }; errors?: { message: string }[] };
  return error ?? errors?.[0] ?? {};
}

function metaOf(body: unknown): object {
  const { timestamp } = (body as { meta?: { timestamp: string } }).meta ?? { timestamp: "" };
  if (timestamp) expect(new Date(timestamp).toISOString()).toBe(timestamp);
  return { timestamp };
}

/** The first seconds, in which requests wait. */
const RESTARTING = [200, { status: "degraded", database: "down", rate_limit_store: "redis" }];
const SICK = [503, { status: "unavailable", database: "down", rate_limit_store: "redis" }];
const WELL = [200, { status: "ok", database: "up", rate_limit_store: "redis" }];
async function health() {
  const { status, body } = await gateway.ready();
  return [status, body];
}

async function expectRestored(): Promise<void> {
  await expect.poll(async () => (await gateway.rest("/emissions", key)).status, PATIENCE).toBe(200);
  await expect.poll(health, PATIENCE).toEqual(WELL);
  expect((await askGraph()).body.errors).toBeUndefined();
  expect(statuses(await askAtOnce(100))).toEqual(times(100, 200));
}

describe.each([
  ["cannot be reached", () => proxy.cut()],
  ["hangs", () => proxy.hang()],
])("a PostgreSQL that %s", (_failure, fail) => {
  it("causes a masked 500 in each surface's form, and the gateway recovers with it", async () => {
    await fail();
    try {
      await expectNothingRemembered();
      const answers = await Promise.all([...PATHS.map((path) => gateway.rest(path, key)), askGraph()]);
      for (const answer of answers) await expectMasked(answer);
    } finally {
      await proxy.restore();
    }
    await expectRestored();
  });

  it("turns readiness to 503, and leaves liveness at 200", async () => {
    await fail();
    try {
      expect(await health()).toEqual(RESTARTING);
      await expect.poll(health, PATIENCE).toEqual(SICK);
      const live = await fetch(`${gateway.url}/health/live`);
      expect([live.status, await live.json()]).toMatchObject([200, { status: "ok" }]);
    } finally {
      await proxy.restore();
    }
    await expectRestored();
  });

  it("is not needed to refuse a malformed key", async () => {
    await fail();
    onTestFinished(() => proxy.restore());
    for (const bad of [undefined, "rubbish", `${key}x`]) {
      const { status, body } = await gateway.rest("/emissions", bad);
      expect([status, body.error?.code]).toEqual([401, "INVALID_KEY"]);
      const { status: graphStatus, body: graphBody } = await gateway.graphql(
        "{ organization { slug } }",
        bad,
      );
      const reason = bad === undefined ? "missing" : "malformed";
      expect(graphStatus).toBe(401);
      expect(graphBody.errors?.[0]?.extensions).toEqual({ code: "INVALID_KEY", reason });
    }
  });

  it("leaks no connection: after many concurrent failures, as many requests are answered", async () => {
    await fail();
    try {
      await expectNothingRemembered();
      for (const answer of await askAtOnce(100)) await expectMasked(answer);
    } finally {
      await proxy.restore();
    }
    await expectRestored();
  });
});

describe("a PostgreSQL that fails in the middle of a mutation", () => {
  it("changes nothing, and a repeated call changes everything", async () => {
    const person = await signUp({ ...gateway, database } as never, { now: new Date() });
    const records = ["a", "b"].map((reference) => ({
      recorded_on: "2026-01-01",
      scope: "scope_1",
      co2e_tonnes: 1,
      reference,
    }));
    const add = () => person.call<Envelope>("/v1/emissions/records", { json: { records } });
    const stored = async () => {
      const where = { organizationId: person.organization.id };
      const { emissionRecord, emissionDay, auditEntry } = database.prisma;
      return [
        await emissionRecord.count({ where }),
        await emissionDay.count({ where }),
        await auditEntry.count({ where: { ...where, action: "emission_record.created" } }),
      ];
    };
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      // The records can be inserted, but their sums have to wait.
      await other.query("BEGIN; LOCK TABLE emission_days IN ACCESS EXCLUSIVE MODE");
      const answer = add();
      const waiting = () =>
        withClient(database.url, (client) =>
          client.query(
            "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO emission_records%'",
          ),
        );
      await expect.poll(async () => (await waiting()).rowCount, { ...PATIENCE, interval: 10 }).toBe(1);
      await proxy.cut();
      expectRefused(await answer);
      expectRefused(await add());
    } finally {
      await other.end();
      await proxy.restore();
    }
    await expectRestored();
    expect(await stored()).toEqual([0, 0, 0]);
    const { status, body } = await add();
    expect([status, body.error]).toEqual([201, null]);
    const [rows, days, entries] = await stored();
    expect([rows, (days ?? 0) > 0, entries]).toEqual([2, true, 2]);
  });
});

describe("a slow statement", () => {
  it("of the wider API is a 503 that says how to ask for less", async () => {
    const person = await signUp({ ...gateway, database } as never, { now: new Date() });
    await withClient(database.url, async (other) => {
      await other.query("BEGIN; LOCK TABLE emission_days IN ACCESS EXCLUSIVE MODE");
      const path = "/v1/emissions/summary?from=2025-01-01&to=2025-12-31";
      const { status, headers, body } = await person.call<Envelope>(path);
      expect(status).toBe(503);
      expect(headers.get("retry-after")).toBe("2");
      expect(body.error).toEqual({
        code: "INTERNAL_ERROR",
        message:
          "The answer was not ready in time, or the database is unavailable. Try again in a moment or ask for less, with from, to, scope, facility, category, country, step, limit.",
      });
    });
  });

  it("is canceled and answered with a masked 500; others continue", async () => {
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      await other.query("BEGIN; LOCK TABLE benchmarks IN ACCESS EXCLUSIVE MODE");
      // An organization without cached data.
      const { key: newKey } = await makeKey(database, await makeOrganization(database));
      const [slow, quick] = await Promise.all([
        gateway.rest("/benchmarks", newKey),
        gateway.rest("/emissions", newKey),
      ]);
      await expectMasked(slow);
      expect(quick.status).toBe(200);
    } finally {
      await other.end();
    }
    expect((await gateway.rest("/benchmarks", key)).status).toBe(200);
  });
});

/** Terminates the gateway's connections, as an administrator does; returns their number. */
async function endConnections(): Promise<number> {
  const { rowCount } = await withClient(database.url, (admin) =>
    admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_port = ANY($1)", [
      proxy.outgoingPorts(),
    ]),
  );
  return rowCount ?? 0;
}

describe("connections that PostgreSQL closes", () => {
  it("are replaced, and every request is answered once the gateway has noticed", async () => {
    const open = proxy.clientPorts();
    expect(await endConnections()).toBeGreaterThan(1);
    await expect.poll(() => proxy.clientPorts().filter((port) => open.includes(port)), PATIENCE).toEqual([]);
    expect(statuses(await askAtOnce(50))).toEqual(times(50, 200));
  });

  it("cost at most the requests that use them at that moment, which get a time to retry", async () => {
    const [answers] = await Promise.all([askAtOnce(100), endConnections()]);
    for (const answer of answers.filter(({ status }) => status !== 200)) await expectMasked(answer);
    await expectRestored();
  });
});
