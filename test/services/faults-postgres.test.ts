import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../src/data/database/schema/migrations.js";
import { openPostgres } from "../../src/data/database/server/postgres.js";
import { MIGRATIONS_FOLDER } from "../../src/paths.js";
import {
  askAll,
  describeOutcomes,
  MAX_PENDING,
  makeQuestions,
  type Outcome,
  startLoad,
  unexpected,
} from "../support/constant-load.js";
import { inShort } from "../support/full.js";
import { withClient } from "../support/pg-client.js";
import { createPostgresServer, type PostgresServer } from "../support/postgres-server.js";
import { type RunningProcess, startInProduction } from "../support/process.js";
import { redisUrl } from "../support/redis-url.js";

/** A moment less than the 2.5 seconds for which a request waits for PostgreSQL. */
const WAIT_MS = 2_400;
const CONNECTIONS = 30;

let server: PostgresServer;
let gateway: RunningProcess;
let questions: Awaited<ReturnType<typeof makeQuestions>>;

beforeAll(async () => {
  server = await createPostgresServer({
    max_connections: String(CONNECTIONS),
    superuser_reserved_connections: "3",
  });
  await server.start();
  const admin = openPostgres(server.url, { statementTimeoutMs: 0, onError: () => undefined });
  await migrate(admin, MIGRATIONS_FOLDER);
  questions = await makeQuestions(admin);
  await admin.transaction(({ script }) =>
    script("CREATE ROLE hog LOGIN; CREATE ROLE gateway LOGIN IN ROLE pg_read_all_data, pg_write_all_data"),
  );
  await admin.close();
  const url = new URL(server.url);
  url.username = "gateway";
  gateway = await startInProduction({ DATABASE_URL: url.href, REDIS_URL: redisUrl ?? "" });
  await askAll(gateway, questions);
});
afterAll(async () => {
  await gateway.stop("SIGKILL");
  await server.remove();
});

const withAdmin = <T>(work: (admin: pg.Client) => Promise<T>): Promise<T> => withClient(server.url, work);

/** Terminates all connections of the gateway at once. */
const cutConnections = () =>
  withAdmin(async (admin) => {
    const { rowCount } = await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'gateway'",
    );
    expect(rowCount).toBeGreaterThan(0);
  });

/** Cuts connections often enough to hit running requests, and rarely enough to hit each request only once. */
async function cutOften(): Promise<void> {
  for (let times = 0; times < 6; times += 1) {
    await cutConnections();
    await new Promise((resolve) => setTimeout(resolve, 600));
  }
}

/** Connections of a client that uses up all of PostgreSQL's. */
let taken: pg.Client[] = [];
async function takeConnections(): Promise<void> {
  const limitGateway = (limit: number) =>
    withAdmin((admin) => admin.query(`ALTER ROLE gateway CONNECTION LIMIT ${limit}`));
  // Keeps the gateway from reconnecting while its connections are taken.
  await limitGateway(0);
  await cutConnections();
  const url = new URL(server.url);
  url.username = "hog";
  for (;;) {
    const client = new pg.Client({ connectionString: url.href });
    client.on("error", () => undefined);
    const connected = await client.connect().then(
      () => true,
      ({ code }) => code !== "53300",
    );
    if (!connected) break;
    taken.push(client);
  }
  await limitGateway(-1);
}
async function returnConnections(): Promise<void> {
  await Promise.all(taken.map((client) => client.end()));
  taken = [];
  await withAdmin((admin) =>
    expect
      .poll(async () => (await admin.query("SELECT FROM pg_stat_activity WHERE usename = 'hog'")).rowCount)
      .toBe(0),
  );
}

/** Returns the outcomes of requests that did not wait for as long as they may. */
const early = (outcomes: readonly Outcome[]) => outcomes.filter(({ ms }) => ms < WAIT_MS);

const nothing = async () => undefined;

/** Faults with their start, their end, and the fate of requests in between. */
const FAULTS: readonly (readonly [
  string,
  () => Promise<void>,
  () => Promise<void>,
  "fails" | "continues",
])[] = [
  ["killed (kill -9)", () => server.kill(), () => server.start(), "fails"],
  ["hung (SIGSTOP)", async () => server.hang(), async () => server.resume(), "fails"],
  ["restarted", () => server.shutDown(), () => server.start(), "continues"],
  ["all connections cut, six times", nothing, cutOften, "continues"],
  ["out of connections", takeConnections, returnConnections, "fails"],
];

// A restart cuts all connections, too. A PostgreSQL that is gone or hangs is in database-unavailable.test.ts.
const SHORT = ["restarted", "out of connections"];

describe("a PostgreSQL under load,", () => {
  it.each(inShort(FAULTS, ([fault]) => SHORT.includes(fault)))(
    "%s, gets every request an answer, and every request is served once it is back",
    async (fault, fail, recover, duringFault) => {
      const load = startLoad(() => gateway, questions, "/health/live");
      await load.sent(120);
      expect((await gateway.ready()).status).toBe(200);
      const failedAt = performance.now();
      await fail();
      // As many as may wait.
      if (fail !== nothing) await load.sent(duringFault === "fails" ? 150 : MAX_PENDING - 5);
      await recover();
      await expect.poll(async () => (await gateway.ready()).body).toMatchObject({ database: "up" });
      const recoveredAt = performance.now();
      await load.sent(300);
      const outcomes = await load.stop();
      console.log(describeOutcomes(`PostgreSQL ${fault}`, outcomes));

      expect(unexpected(outcomes, "right", "error")).toEqual([]);
      const whenWell = outcomes.filter(({ sentAt, ms }) => sentAt + ms < failedAt || sentAt > recoveredAt);
      expect(whenWell.length).toBeGreaterThan(300);
      // On a slow machine, requests may wait too long.
      expect(early(unexpected(whenWell, "right"))).toEqual([]);
      const failed = unexpected(outcomes, "right");
      if (duringFault === "continues") expect(early(failed)).toEqual([]);
      else if (fail !== nothing) expect(failed).not.toEqual([]);
      await askAll(gateway, questions);
    },
  );
});
