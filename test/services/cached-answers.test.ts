import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { addRecord } from "../support/fixtures.js";
import { withClient } from "../support/pg-client.js";
import { type RunningProcess, runGateway, startInProduction, warmUp } from "../support/process.js";
import { createRedisServer } from "../support/redis-server.js";
import { redisUrl } from "../support/redis-url.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";

/**
 * Changes are visible within 100 ms on a machine at rest, and always within this time: a gateway answers from the cache
 * only if a heartbeat of the last 800 ms, by its own clock, has proven that no change is missing.
 */
const BOUND_MS = 1_000;
const PATIENCE = { timeout: 60_000, interval: 20 };
const TENANTS = 5;
const ROUNDS = 3_000;

let database: TestDatabase;
let proxies: TcpProxy[] = [];
let gateways: RunningProcess[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  const url = new URL(database.url ?? "");
  proxies = await Promise.all([startTcpProxy(url), startTcpProxy(url)]);
  gateways = await Promise.all(proxies.map(({ port }) => start({ port, redisUrl: redisUrl ?? "" })));
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop("SIGKILL")));
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await database.close();
});

/** Starts a gateway that reaches the database over `port`. */
async function start({ port, redisUrl }: { port: number; redisUrl: string }): Promise<RunningProcess> {
  const url = new URL(database.url ?? "");
  url.host = `127.0.0.1:${port}`;
  const gateway = await startInProduction({ DATABASE_URL: url.href, REDIS_URL: redisUrl, LOG_LEVEL: "warn" });
  const { key } = await makeKey(database, await makeOrganization(database));
  await warmUp(gateway, key);
  return gateway;
}

interface Tenant {
  readonly slug: string;
  readonly key: string;
  /** Totals in the order of their writes, each with the time at which its commit was confirmed. */
  readonly written: { readonly total: number; readonly committedAt: number }[];
  /** The largest total that may be visible, including unconfirmed commits. */
  max: number;
}

async function newTenant(): Promise<Tenant> {
  const slug = await makeOrganization(database);
  const { key } = await makeKey(database, slug);
  return { slug, key, written: [{ total: 0, committedAt: 0 }], max: 0 };
}
const newTenants = () => Promise.all(Array.from({ length: TENANTS }, newTenant));

/** Adds a record of one tonne to a tenant with SQL; records the total once committed. */
async function write(client: pg.Client, tenant: Tenant): Promise<void> {
  tenant.max += 1;
  await client.query(
    `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes)
     SELECT id, current_date - 1, 'scope_1', 1 FROM organizations WHERE slug = $1`,
    [tenant.slug],
  );
  tenant.written.push({ total: tenant.max, committedAt: performance.now() });
}

/** Returns the total whose commit was confirmed at `moment`. */
function committedBy({ written }: Tenant, moment: number): number {
  return written.findLast(({ committedAt }) => committedAt <= moment)?.total ?? 0;
}

type AskTotal = (gateway: RunningProcess, key: string) => Promise<number | undefined>;
const askGraphql =
  (query: string): AskTotal =>
  async (gateway, key) =>
    (await gateway.graphql(query, key)).body.data?.emissions?.totalCo2eTonnes;

/** Ways to read a tenant's total, over each kind of cache; undefined if the request fails. */
const WAYS: readonly (readonly [name: string, ask: AskTotal])[] = [
  [
    "REST",
    async (gateway, key) => {
      const { body } = await gateway.rest("/emissions", key);
      return (body.data as { total_co2e_tonnes: number } | null)?.total_co2e_tonnes;
    },
  ],
  ["GraphQL", askGraphql("{ emissions { totalCo2eTonnes } }")],
  // An operation that shows its own request is executed each time; only its rows are cached.
  ["GraphQL, by rows", askGraphql("{ emissions { totalCo2eTonnes } rateLimit { used } }")],
];

/** A read total with the bounds that it must be in. */
interface Read {
  readonly at: string;
  readonly total: number | undefined;
  readonly min: number;
  readonly max: number;
}

const isAnswered = ({ total }: Read) => total !== undefined;
const isWrong = ({ total, min, max }: Read) => total !== undefined && (total < min || total > max);

/** Reads a tenant's total at a gateway, with the total that must be visible. */
async function readOnce(tenant: Tenant, turn: number): Promise<Read> {
  const at = turn % gateways.length;
  const [way, ask] = WAYS[Math.floor(turn / gateways.length) % WAYS.length] as (typeof WAYS)[number];
  const min = committedBy(tenant, performance.now() - BOUND_MS);
  const total = await ask(gateways[at] as RunningProcess, tenant.key);
  return { at: `gateway ${at}, ${way}`, total, min, max: tenant.max };
}

/** Writes to all tenants and reads them at all gateways until `isOver`. Returns all reads. */
async function race(
  tenants: readonly Tenant[],
  isOver: (reads: readonly Read[]) => boolean,
): Promise<Read[]> {
  const reads: Read[] = [];
  let stopped = false;
  const writer = withClient(database.url, async (client) => {
    for (let turn = 0; !stopped; turn += 1) {
      await write(client, tenants[turn % tenants.length] as Tenant);
      // Occasional pauses longer than the bound reveal stale cache entries.
      if (turn % 200 === 199) await delay(1.2 * BOUND_MS);
    }
  });
  const readers = Array.from({ length: 6 }, async (_, reader) => {
    for (let turn = reader; !isOver(reads); turn += 1) {
      reads.push(await readOnce(tenants[(turn * 7) % tenants.length] as Tenant, turn));
    }
  });
  try {
    await Promise.all(readers);
  } finally {
    stopped = true;
    await writer;
  }
  return reads;
}

/** Expects every gateway to return the last total in each way, and then from the cache, without PostgreSQL. */
async function expectRememberedAgain(tenants: readonly Tenant[]): Promise<void> {
  const turns = Array.from({ length: gateways.length * WAYS.length }, (_, turn) => turn);
  const readEverywhere = async () => {
    const reads = tenants.flatMap((tenant) => turns.map((turn) => readOnce(tenant, turn)));
    return (await Promise.all(reads)).map(({ total }) => total);
  };
  const last = tenants.flatMap(({ max }) => turns.map(() => max));
  await withClient(database.url, async (client) => {
    const readAgainLocked = async () => {
      await expect.poll(readEverywhere, PATIENCE).toEqual(last);
      // While the tables are locked, anything that reads them runs into its time limit.
      await client.query("BEGIN; LOCK TABLE emission_days, api_keys IN ACCESS EXCLUSIVE MODE");
      const totals = await readEverywhere();
      await client.query("ROLLBACK");
      return totals;
    };
    // Answers read before a gateway listens again are not cached.
    await expect.poll(readAgainLocked, PATIENCE).toEqual(last);
  });
}

describe("two gateways, while writers race readers", () => {
  it(`give no answer in ${ROUNDS} that is older than ${BOUND_MS} ms`, async () => {
    const tenants = await newTenants();
    const reads = await race(tenants, ({ length }) => length >= ROUNDS);
    expect(reads.filter(isWrong)).toEqual([]);
    expect(reads.filter(({ total }) => total === undefined)).toEqual([]);
    await expectRememberedAgain(tenants);
  });

  it("give no old answer if their listening connection is closed, and cache again afterwards", async () => {
    const tenants = await newTenants();
    let isOver = false;
    const cutting = withClient(database.url, async (admin) => {
      const cut = LISTENING.replace("SELECT pid", "SELECT pg_terminate_backend(pid)");
      for (let round = 1; round <= 6; round += 1) {
        await expectListening();
        expect((await admin.query(cut)).rowCount).toBeGreaterThan(0);
        await delay(BOUND_MS);
      }
    }).finally(() => {
      isOver = true;
    });
    const reads = await race(tenants, () => isOver);
    await cutting;
    expect(reads.filter(isWrong)).toEqual([]);
    expect(reads.filter(({ total }) => total === undefined)).toEqual([]);
    await expectListening();
    await expectRememberedAgain(tenants);
  });

  it("give no old answer if the network is cut, though requests may fail", async () => {
    const tenants = await newTenants();
    let isOver = false;
    const cutting = (async () => {
      for (const proxy of proxies) {
        await proxy.cut();
        await delay(BOUND_MS);
        await proxy.restore();
        await delay(BOUND_MS);
      }
    })().finally(() => {
      isOver = true;
    });
    const reads = await race(tenants, (sofar) => isOver && sofar.filter(isAnswered).length > 100);
    await cutting;
    expect(reads.filter(isWrong)).toEqual([]);
    await expectListening();
    await expectRememberedAgain(tenants);
  });

  it("answer nothing from the cache a second after the network goes silent", async () => {
    const tenants = await newTenants();
    const [tenant] = tenants as [Tenant];
    await withClient(database.url, (client) => write(client, tenant));
    await expectRememberedAgain(tenants);
    for (const proxy of proxies) proxy.hang();
    try {
      await withClient(database.url, (client) => write(client, tenant));
      await delay(BOUND_MS);
      // Requests that begin after that second may fail late, but no answer is old.
      const reads: Promise<Read>[] = [];
      for (let turn = 0; turn < 40; turn += 1) {
        reads.push(readOnce(tenant, turn));
        await delay(50);
      }
      const answered = await Promise.all(reads);
      expect(answered.filter(isWrong)).toEqual([]);
    } finally {
      for (const proxy of proxies) await proxy.restore();
    }
    await expectListening();
    await expectRememberedAgain(tenants);
  });
});

/** Finds the listening connections of this test's database, which send only keep-alive queries. */
const LISTENING = `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
  AND application_name = 'carbon-gateway' AND (query IN ('SELECT 1', 'LISTEN "gateway_changes"') OR query LIKE '%pg_current_snapshot()%')`;

/** Waits until every gateway listens again. */
async function expectListening(): Promise<void> {
  await withClient(database.url, (client) =>
    expect.poll(async () => (await client.query(LISTENING)).rowCount, PATIENCE).toBe(gateways.length),
  );
}

describe("a cached key", () => {
  const statuses = async (gateway: RunningProcess, key: string) => {
    const answers = await Promise.all([
      gateway.rest("/emissions", key),
      gateway.graphql("{ emissions { recordCount } }", key),
    ]);
    return answers.map(({ status }) => status);
  };

  it("is refused by every gateway once it is revoked, even without Redis", async () => {
    const redis = await createRedisServer();
    await redis.start();
    const others = await Promise.all(proxies.map(({ port }) => start({ port, redisUrl: redis.url })));
    try {
      for (const isAway of [false, true]) {
        if (isAway) await redis.kill();
        const slug = await makeOrganization(database);
        await addRecord(database, slug);
        const { id, key } = await makeKey(database, slug);
        for (const gateway of others) {
          expect(await statuses(gateway, key)).toEqual([200, 200]);
          expect(await statuses(gateway, key)).toEqual([200, 200]);
        }
        await withClient(database.url, (client) =>
          client.query("UPDATE api_keys SET revoked_at = now() WHERE id = $1", [id]),
        );
        for (const gateway of others) await expect.poll(() => statuses(gateway, key)).toEqual([401, 401]);
      }
    } finally {
      await Promise.all(others.map((gateway) => gateway.stop("SIGKILL")));
      await redis.kill();
    }
  });

  it("has lost a scope on every gateway when the command ends", async () => {
    const { id, key } = await makeKey(database, await makeOrganization(database));
    for (const gateway of gateways) expect(await statuses(gateway, key)).toEqual([200, 200]);
    const env = { DATABASE_URL: database.url ?? "", REDIS_URL: redisUrl ?? "" };
    const { code } = await runGateway(["keys", "update", id, "--scope", "read:market"], { env });
    expect(code).toBe(0);
    for (const gateway of gateways) {
      await expect.poll(() => statuses(gateway, key)).toEqual([401, 200]);
    }
  });
});
