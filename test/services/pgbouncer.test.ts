import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { examine } from "../../src/commands/doctor/doctor.js";
import { readServerState } from "../../src/data/database/server-state.js";
import { endpoints } from "../../src/rest/ext/index.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { addRecord, addTenantData } from "../support/fixtures.js";
import { HEADER, saveCsv } from "../support/importing.js";
import { hasNoPgBouncer, type PgBouncer, startPgBouncer } from "../support/pgbouncer.js";
import {
  type RunningProcess,
  runGateway,
  startInProduction,
  temporaryFolder,
  warmUp,
} from "../support/process.js";
import { redisUrl } from "../support/redis-url.js";
import { runCommand } from "../support/run-command.js";
import { openPostgres } from "../support/served.js";
import { type Client, type Gateway, makeKey, startGateway } from "../support/server.js";

const PATIENCE = { timeout: 60_000, interval: 20 };
const TENANTS = 4;
const GATEWAYS = 5;
const SERVER_CONNECTIONS = 5;

interface Tenant {
  readonly slug: string;
  readonly id: string;
  readonly key: string;
}

describe.skipIf(hasNoPgBouncer)("gateways behind a transaction-pooling PgBouncer", () => {
  let database: TestDatabase;
  let pooler: PgBouncer;
  let env: Record<string, string>;
  let gateways: Gateway[] = [];
  let ownProcess: RunningProcess;
  const tenants: Tenant[] = [];
  const everywhere = () => [...gateways, ownProcess];

  beforeAll(async () => {
    database = await openTestDatabase();
    const directUrl = database.url ?? "";
    pooler = await startPgBouncer(directUrl, SERVER_CONNECTIONS);
    env = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: directUrl, REDIS_URL: redisUrl ?? "" };
    for (let index = 0; index < TENANTS; index += 1) {
      const name = `TENANT-${index}`;
      await addTenantData(database, { name, digits: 1_000 + index, framework: "CCTS" });
      const slug = name.toLowerCase();
      tenants.push({ slug, ...(await makeKey(database, slug)) });
    }
    gateways = await Promise.all(
      Array.from({ length: GATEWAYS }, () => {
        const options = { directUrl, statementTimeoutMs: 3_000, onError: () => undefined };
        const pooled = openPostgres(pooler.url, options);
        return startGateway({
          database: { ...pooled, url: directUrl, waitForAnnouncements: async () => undefined },
        });
      }),
    );
    ownProcess = await startInProduction(env);
    for (const gateway of everywhere()) await warmUp(gateway, tenants[0]?.key ?? "");
  });
  afterAll(async () => {
    await ownProcess.stop("SIGKILL");
    for (const gateway of gateways) {
      await gateway.stop();
      await gateway.database.close();
    }
    await pooler.stop();
    await database.close();
  });

  /** Returns the answers of all endpoints and of a query. */
  const answersOf = async (gateway: Client, key: string) => [
    ...(await Promise.all(
      endpoints.map(async ({ path }) => {
        const { status, body } = await gateway.rest(path, key);
        return { path, status, data: body.data };
      }),
    )),
    (await gateway.graphql("{ credits { batches { nodes { reference sales { quantity } } } } }", key)).body,
  ];
  const totals = ({ key }: Tenant) =>
    Promise.all(
      everywhere().map(async (gateway) => {
        const { body } = await gateway.rest("/emissions", key);
        return (body.data as { total_co2e_tonnes: number } | null)?.total_co2e_tonnes;
      }),
    );

  it("give the same answers as one without, over 50 connections that share 5, also from the cache", async () => {
    const direct = await startGateway({ database });
    onTestFinished(() => direct.stop());
    const pauses = gateways.flatMap(({ database: { select } }) =>
      Array.from({ length: 10 }, () => select("SELECT pg_sleep(0.05)::text", [])),
    );
    await Promise.all(pauses);
    for (const _turn of ["computed", "cached"]) {
      for (const { key } of tenants) {
        const expected = await answersOf(direct, key);
        for (const answers of await Promise.all(everywhere().map((gateway) => answersOf(gateway, key)))) {
          expect(answers).toEqual(expected);
        }
      }
    }
    const { clients, servers } = await pooler.count();
    expect(clients).toBeGreaterThanOrEqual(50);
    expect(servers).toBeLessThanOrEqual(SERVER_CONNECTIONS);
    expect(ownProcess.log().filter(({ level }) => level > 30)).toEqual([]);
  });

  it("hear of every change over a direct connection, and answer from the cache until then", async () => {
    const [tenant] = tenants as [Tenant];
    const before = (await totals(tenant))[0] ?? Number.NaN;
    await addRecord(database, tenant.slug, { co2eTonnes: 5 });
    const after = everywhere().map(() => before + 5);
    await expect.poll(() => totals(tenant), PATIENCE).toEqual(after);

    // While the table is locked, anything that reads it runs into its time limit.
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("BEGIN; LOCK TABLE emission_days, api_keys IN ACCESS EXCLUSIVE MODE");
    expect(await totals(tenant)).toEqual(after);
  });

  it("find changes through the pooler while the direct connection is down", async () => {
    const [tenant] = tenants as [Tenant];
    const options = {
      directUrl: "postgresql://127.0.0.1:1/nowhere",
      statementTimeoutMs: 3_000,
      onError: () => undefined,
    };
    const polling = openPostgres(pooler.url, options);
    onTestFinished(() => polling.close());
    const gateway = await startGateway({
      database: { ...polling, url: pooler.url, waitForAnnouncements: async () => undefined },
    });
    onTestFinished(() => gateway.stop());
    const total = async () => {
      const { body } = await gateway.rest("/emissions", tenant.key);
      return (body.data as { total_co2e_tonnes: number }).total_co2e_tonnes;
    };
    const cachedAnswers = async () => {
      const { body } = await gateway.call<string>("/metrics");
      return Number(
        /gateway_memory_lookups_total\{memory="rest",result="remembered"\} (\d+)/.exec(body)?.[1],
      );
    };
    const before = await total();
    await expect
      .poll(async () => ((await total()) === before ? cachedAnswers() : 0), PATIENCE)
      .toBeGreaterThan(0);
    await addRecord(database, tenant.slug, { co2eTonnes: 7 });
    await expect.poll(total, PATIENCE).toBe(before + 7);
  });

  it("refuse a revoked key, and record when a key was used", async () => {
    const [, { id, key }] = tenants as [Tenant, Tenant];
    const lastUse = async () => (await database.prisma.apiKey.findUnique({ where: { id } }))?.lastUsedAt;
    await expect.poll(lastUse, PATIENCE).toBeInstanceOf(Date);
    expect((await runCommand(["keys", "revoke", id], { env })).code).toBe(0);
    const statuses = () =>
      Promise.all(everywhere().map(async (gateway) => (await gateway.rest("/market", key)).status));
    await expect.poll(statuses, PATIENCE).toEqual(everywhere().map(() => 401));
  });

  it("work with doctor, migrate and import", async () => {
    const [, , { slug }] = tenants as [Tenant, Tenant, Tenant];
    const file = await saveCsv(temporaryFolder(), `${HEADER}\n2026-11-02,scope_2,2.5,,,,x\n`);
    for (const args of [["migrate"], ["import", file, "--organization", slug]]) {
      expect(await runCommand(args, { env })).toMatchObject({ code: 0 });
    }
    const { failures, checks } = await examine(env, () => new Date());
    expect(failures).toBe(0);
    expect(checks.filter(({ check }) => check === "statement limit")).toEqual([
      expect.objectContaining({ status: "warning", mend: expect.stringContaining("ALTER ROLE") }),
    ]);
  });
});

describe.skipIf(hasNoPgBouncer)(
  "a gateway without a direct URL behind a transaction-pooling PgBouncer",
  () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await openTestDatabase();
    });
    afterAll(() => database.close());

    const findings = async (url: string) => {
      const { checks } = await examine({ DATABASE_URL: url }, () => new Date());
      return checks.filter(({ status }) => status === "failure");
    };

    /** Starts a PgBouncer that ignores the gateway's settings, and opens the database through it. */
    const openTolerant = async (connections: number) => {
      const ignored = "ignore_startup_parameters = statement_timeout, options";
      const pooler = await startPgBouncer(database.url ?? "", connections, [ignored]);
      onTestFinished(() => pooler.stop());
      const pooled = openPostgres(pooler.url, { statementTimeoutMs: 3_000, onError: () => undefined });
      onTestFinished(() => pooled.close());
      return { pooler, pooled };
    };

    it("is refused by PgBouncer, and doctor says which setting to change", async () => {
      const pooler = await startPgBouncer(database.url ?? "", 2);
      onTestFinished(() => pooler.stop());
      const { code, stderr } = await runGateway(["serve"], { env: { DATABASE_URL: pooler.url } });
      expect([code, stderr]).toEqual([1, expect.stringContaining("unsupported startup parameter")]);
      expect(await findings(pooler.url)).toEqual([
        expect.objectContaining({ check: "database", mend: expect.stringContaining("DATABASE_DIRECT_URL") }),
      ]);
    });

    it("meets the prepared statements of others, and doctor says which setting to add", async () => {
      const { pooler, pooled } = await openTolerant(1);
      await readServerState(pooled);
      expect(await findings(pooler.url)).toEqual([
        expect.objectContaining({
          check: "database",
          message: expect.stringContaining("already exists"),
          mend: expect.stringContaining("DATABASE_DIRECT_URL"),
        }),
      ]);
    });

    it("notices that it hears no notifications, reports it once, and doctor reports it too", async () => {
      const { pooler, pooled: deaf } = await openTolerant(2);
      const reports: (string | undefined)[] = [];
      const listening = await deaf.listen("gateway_changes", {
        onMessage: () => undefined,
        onLost: () => reports.push("lost"),
        onListeningChange: (error) => reports.push(error?.message),
      });
      onTestFinished(() => listening.stop());
      expect(listening.isListening()).toBe(false);
      await expect.poll(() => reports.filter((text) => text === "lost").length, PATIENCE).toBeGreaterThan(1);
      expect(listening.isListening()).toBe(false);
      expect(reports.filter((text) => text !== "lost")).toEqual([
        expect.stringContaining("set DATABASE_DIRECT_URL to PostgreSQL itself"),
      ]);
      // Depends on which of PostgreSQL's connections its statements get.
      expect(await findings(pooler.url)).toContainEqual(
        expect.objectContaining({
          check: expect.stringMatching(/^(change notifications|database)$/),
          mend: expect.stringContaining("DATABASE_DIRECT_URL"),
        }),
      );
    });
  },
);
