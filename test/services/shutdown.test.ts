import { Agent, get } from "node:http";
import { connect } from "node:net";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { askAll, describeOutcomes, makeQuestions, startLoad, unexpected } from "../support/constant-load.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { timed } from "../support/durations.js";
import { preload, type RunningProcess, startInProduction } from "../support/process.js";
import { createRedisServer } from "../support/redis-server.js";
import { redisUrl } from "../support/redis-url.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { startTcpProxy } from "../support/tcp-proxy.js";

const PATIENCE = { timeout: 60_000, interval: 20 };
/** Keeps the gateway from ending by the time limits of a stop, such as the 8 seconds after which it cuts connections. */
const WITHOUT_LIMITS = preload(
  "const { setTimeout } = globalThis; globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, ms >= 8_000 ? 3_600_000 : ms, ...rest);",
);

const EMISSIONS = "/ext/v1/emissions";

let database: TestDatabase;
let gateway: RunningProcess;
let key: string;

/** Creates a key of a new organization, without cached data. */
async function newKey(): Promise<string> {
  return (await makeKey(database, await makeOrganization(database))).key;
}

beforeAll(async () => {
  database = await openTestDatabase();
  key = await newKey();
});
afterAll(() => database.close());
afterEach(() => gateway.stop("SIGKILL"));

const services = () => ({
  DATABASE_URL: database.url ?? "",
  REDIS_URL: redisUrl ?? "",
  NODE_OPTIONS: WITHOUT_LIMITS,
});

async function start(env: Record<string, string> = {}): Promise<void> {
  gateway = await startInProduction({ ...services(), ...env });
}

interface Outcome {
  /** The status of a complete answer, or the error. */
  readonly result: number | string | undefined;
  /** Time at which the request was sent; infinite if it never was. */
  readonly sentAt: number;
}

/** Sends a request on a connection of the agent; returns its outcome. */
function ask(agent: Agent, path = EMISSIONS, apiKey = key): Promise<Outcome> {
  return new Promise((resolve) => {
    let sentAt = Number.POSITIVE_INFINITY;
    const request = get(`${gateway.url}${path}`, { agent, headers: { "X-API-Key": apiKey } }, (response) => {
      response.resume();
      response.on("error", () => undefined);
      response.on("close", () =>
        resolve({ result: response.complete ? response.statusCode : "cut in the middle", sentAt }),
      );
    });
    request.on("finish", () => {
      sentAt = performance.now();
    });
    request.on("error", ({ code }: NodeJS.ErrnoException) => resolve({ result: code, sentAt }));
  });
}

const stopping = () => gateway.log().some(({ msg }) => msg === "stopping");
const onNewConnection = async () => (await ask(new Agent(), "/health/live")).result;

/** Blocks all statements on emissions while `work` runs; `waiting` counts them. */
async function whileEmissionsAreLocked(work: (waiting: () => Promise<number>) => Promise<void>) {
  const [holder, watcher] = [1, 2].map(() => new pg.Client({ connectionString: database.url })) as [
    pg.Client,
    pg.Client,
  ];
  await Promise.all([holder.connect(), watcher.connect()]);
  try {
    await holder.query("BEGIN; LOCK TABLE emission_days IN ACCESS EXCLUSIVE MODE");
    await work(async () => {
      const { rows } = await watcher.query(
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows[0].n;
    });
  } finally {
    await Promise.all([holder.end(), watcher.end()]);
  }
}

describe.each(["SIGTERM", "SIGINT"] as const)("%s", (signal) => {
  it("refuses new connections, answers pending requests, and exits with 0 despite idle clients", async () => {
    await start();
    const agent = new Agent({ keepAlive: true });
    // First requests are slow, and statements may wait only 3 seconds.
    let pending = Promise.all(Array.from({ length: 5 }, () => ask(agent)));
    await pending;
    const others = await Promise.all(Array.from({ length: 5 }, newKey));
    await whileEmissionsAreLocked(async (waiting) => {
      pending = Promise.all(others.map((other) => ask(agent, EMISSIONS, other)));
      await expect.poll(waiting, PATIENCE).toBe(5);
      gateway.signal(signal);
      await expect.poll(onNewConnection, PATIENCE).toBe("ECONNREFUSED");
    });

    expect((await pending).map(({ result }) => result)).toEqual([200, 200, 200, 200, 200]);
    expect((await gateway.ended).code).toBe(0);
    agent.destroy();
  });
});

describe("SIGTERM under load", () => {
  it("loses no earlier request, cuts no answer, and exits with 0", async () => {
    await start();
    const outcomes: Outcome[] = [];
    // They keep their connections and send continuously, until they cannot connect.
    const clients = Array.from({ length: 8 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (;;) {
        const outcome = await ask(agent);
        if (outcome.result === "ECONNREFUSED") break;
        outcomes.push(outcome);
      }
      agent.destroy();
    });
    await expect.poll(() => outcomes.length, PATIENCE).toBeGreaterThan(100);
    const signalled = performance.now();
    gateway.signal("SIGTERM");
    await Promise.all(clients);
    expect((await gateway.ended).code).toBe(0);

    const before = outcomes.filter(({ sentAt }) => sentAt < signalled);
    expect(before.filter(({ result }) => result !== 200)).toEqual([]);
    // In HTTP, a connection may be closed at the moment at which its client sends the next request.
    const allowed = [200, "ECONNRESET", "EPIPE"];
    expect(outcomes.filter(({ result }) => !allowed.includes(result ?? ""))).toEqual([]);
  });
});

describe("SIGTERM under load, in production, to one of two processes behind a balancing client", () => {
  it("turns readiness off for SHUTDOWN_DELAY_SECONDS, fails no request, and exits with 0", async () => {
    const questions = await makeQuestions(database);
    const env = { ...services(), SHUTDOWN_DELAY_SECONDS: "3" };
    const [one, other] = await Promise.all([startInProduction(env), startInProduction(env)]);
    gateway = one;
    const processes = [one, other];
    onTestFinished(() => void processes.map((each) => each.stop("SIGKILL")));
    for (const each of processes) await askAll(each, questions);
    let ready = processes;
    let readinessOfOne = 200;
    // Like balancers, it checks now and then, each time on a new connection.
    const watching = setInterval(async () => {
      const statuses = await Promise.all(processes.map((each) => statusOf(`${each.url}/health/ready`)));
      ready = processes.filter((_each, index) => statuses[index] === 200);
      readinessOfOne = Math.max(readinessOfOne, Number(statuses[0]) || 0);
    }, 500);
    onTestFinished(() => clearInterval(watching));
    let turn = 0;
    const balance = () => {
      turn += 1;
      return ready[Math.floor(turn / 7) % ready.length] as RunningProcess;
    };

    const load = startLoad(balance, questions, "/health/live");
    await load.sent(120);
    const { ms, result } = await timed(() => one.stop());
    await load.sent(60);
    const outcomes = await load.stop();
    console.log(describeOutcomes("SIGTERM of one of two processes", outcomes));

    expect(unexpected(outcomes, "right")).toEqual([]);
    expect([result.code, readinessOfOne]).toEqual([0, 503]);
    expect(ms).toBeGreaterThanOrEqual(3_000);
  });
});

/** Returns the status of a GET on a new connection; undefined if nobody listens. */
function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    get(url, { agent: new Agent() }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", () => resolve(undefined));
  });
}

describe("SHUTDOWN_DELAY_SECONDS", () => {
  it("turns readiness to 503 and answers in the meantime, on old and new connections", async () => {
    await start({ SHUTDOWN_DELAY_SECONDS: "600" });
    const agent = new Agent({ keepAlive: true });
    expect([(await gateway.ready()).status, (await ask(agent)).result]).toEqual([200, 200]);
    gateway.signal("SIGTERM");
    await expect.poll(stopping, PATIENCE).toBe(true);

    const { status, body } = await gateway.ready();
    expect([status, body]).toEqual([503, { status: "draining", database: "up", rate_limit_store: "redis" }]);
    expect((await ask(agent)).result).toBe(200);
    expect((await ask(new Agent())).result).toBe(200);
    expect(await onNewConnection()).toBe(200);

    agent.destroy();
  });
});

describe("SIGTERM after a client disconnected in the middle of a body", () => {
  it("makes the gateway exit with 0", async () => {
    await start();
    const { hostname, port } = new URL(gateway.url);
    const client = connect(Number(port), hostname);
    client.end(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    for await (const _chunk of client);
    gateway.signal("SIGTERM");
    expect((await gateway.ended).code).toBe(0);
  });
});

describe("a second SIGINT", () => {
  it("makes the gateway exit at once, unless it belongs to the first", async () => {
    await start({ SHUTDOWN_DELAY_SECONDS: "600" });
    // npm repeats the first within moments.
    const signals = setInterval(() => gateway.signal("SIGINT"), 100);
    const { code, stderr } = await gateway.ended.finally(() => clearInterval(signals));
    expect([code, stderr.match(/"msg":"stopping"/g)?.length]).toEqual([130, 1]);
  });
});

describe("SIGTERM while the services hang", () => {
  it("still makes the gateway exit with 0", async () => {
    const url = new URL(database.url ?? "");
    const [proxy, redis] = await Promise.all([startTcpProxy(url), createRedisServer()]);
    url.host = `127.0.0.1:${proxy.port}`;
    await redis.start();
    try {
      await start({ DATABASE_URL: url.href, REDIS_URL: redis.url });
      expect((await gateway.rest("/emissions", key)).status).toBe(200);
      proxy.hang();
      redis.hang();
      gateway.signal("SIGTERM");
      expect((await gateway.ended).code).toBe(0);
    } finally {
      await gateway.stop("SIGKILL");
      await Promise.all([proxy.close(), redis.kill()]);
    }
  });
});
