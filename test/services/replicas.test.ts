import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { examine } from "../../src/commands/doctor/doctor.js";
import { migrate } from "../../src/data/database/schema/migrations.js";
import type { Database } from "../../src/data/database/types.js";
import { MIGRATIONS_FOLDER } from "../../src/paths.js";
import type { TestDatabase } from "../support/database.js";
import { callWith, signUp } from "../support/people.js";
import { withClient } from "../support/pg-client.js";
import { createPostgresServer, createReplica, type PostgresReplica } from "../support/postgres-server.js";
import { openPostgres } from "../support/served.js";
import { type Gateway, makeKey, NOW, startGateway } from "../support/server.js";
import { use } from "../support/use.js";

const PATIENCE = { timeout: 60_000, interval: 100 };
const MAX_LAG_MS = 1_000;

interface Tenant {
  readonly id: string;
  readonly token: string;
  readonly key: string;
  readonly keyId: string;
}

describe("a gateway with a replica", () => {
  let replica: PostgresReplica;
  let database: TestDatabase;
  let gateway: Gateway;
  let first: Tenant;
  let second: Tenant;
  let asked = 0;

  const openDatabase = (): Database =>
    openPostgres(primary.url, {
      replicaUrls: [replica.url],
      replicaMaxLagMs: MAX_LAG_MS,
      statementTimeoutMs: 2_500,
      onError: () => undefined,
    });
  const newTenant = async (): Promise<Tenant> => {
    const { organization, session } = await signUp(gateway);
    const { key, id } = await makeKey(database, organization.slug);
    return { id: organization.id, token: session.token, key, keyId: id };
  };
  const state = () => database.replicas?.states()[0] ?? { reason: "no replica", reads: 0, lagMs: 0 };

  const primary = use(() => createPostgresServer({}));
  beforeAll(async () => {
    await primary.start();
    replica = await createReplica(primary);
    await replica.start();
    const owner = openPostgres(primary.url, { statementTimeoutMs: 0, onError: () => undefined });
    await migrate(owner, MIGRATIONS_FOLDER);
    await owner.close();
    database = { ...openDatabase(), url: primary.url, waitForAnnouncements: async () => undefined };
    gateway = await startGateway({ database });
    [first, second] = [await newTenant(), await newTenant()];
  });
  afterAll(async () => {
    await gateway?.stop();
    await database?.close();
    await replica?.remove();
  });

  /** Returns a tenant's tonnes by a new operation, for which nothing is cached. */
  const tonnes = async ({ key }: Tenant) => {
    asked += 1;
    const from = new Date(Date.UTC(2000, 0, asked)).toISOString().slice(0, 10);
    const query = `{ emissions(range: { from: "${from}", to: "2026-12-31" }) { totalCo2eTonnes } }`;
    const { body } = await gateway.graphql(query, key);
    return body.data?.emissions?.totalCo2eTonnes ?? body.errors;
  };
  /** Returns a tenant's tonnes, and whether they were read from the replica. */
  const tonnesAndReads = async (tenant: Tenant) => {
    const before = state().reads;
    return { tonnes: await tonnes(tenant), fromReplica: state().reads > before };
  };
  const write = async ({ token }: Tenant, tonnesOfRecord: number) => {
    const json = { recorded_on: "2026-11-02", scope: "scope_1", co2e_tonnes: tonnesOfRecord };
    const caller = callWith(gateway, { Authorization: `Bearer ${token}` });
    return (await caller.call("/v1/emissions/records", { json })).status;
  };
  const isServing = () => state().reason === null;

  beforeEach(async () => {
    await expect.poll(isServing, PATIENCE).toBe(true);
    for (const tenant of [first, second])
      await expect.poll(() => tonnesAndReads(tenant), PATIENCE).toMatchObject({ fromReplica: true });
  });

  it("shows callers their own writes while the replica lacks them, and reads for others from the replica", async () => {
    const before = await tonnes(first);
    await replica.pauseReplay();
    try {
      expect(await write(first, 2)).toBe(201);
      expect(await tonnesAndReads(first)).toEqual({ tonnes: before + 2, fromReplica: false });
      expect(await tonnesAndReads(second)).toEqual({ tonnes: 0, fromReplica: true });
    } finally {
      await replica.resumeReplay();
    }
    await expect
      .poll(() => tonnesAndReads(first), PATIENCE)
      .toEqual({ tonnes: before + 2, fromReplica: true });
  });

  it("does not cache from the replica what another program has changed on the primary", async () => {
    const query = "{ organization { name } }";
    const name = async () => (await gateway.graphql(query, second.key)).body.data?.organization.name;
    expect(await name()).not.toBe("Renamed");
    await replica.pauseReplay();
    onTestFinished(() => replica.resumeReplay());
    await withClient(primary.url, (client) =>
      client.query("UPDATE organizations SET name = 'Renamed' WHERE id = $1", [second.id]),
    );
    await expect.poll(name, PATIENCE).toBe("Renamed");
    expect(await name()).toBe("Renamed");
  });

  it("refuses a revoked key while the replica still has it", async () => {
    const { key, id: keyId } = await makeKey(database, (await signUp(gateway)).organization.slug);
    await replica.replayed();
    await replica.pauseReplay();
    onTestFinished(() => replica.resumeReplay());
    await withClient(primary.url, (client) =>
      client.query("UPDATE api_keys SET revoked_at = $2 WHERE id = $1", [keyId, NOW]),
    );
    await expect.poll(async () => (await gateway.rest("/market", key)).status, PATIENCE).toBe(401);
  });

  it("reads from the primary while the replica is too far behind, and from the replica once it has caught up", async () => {
    await replica.pauseReplay();
    onTestFinished(() => replica.resumeReplay());
    expect(await write(first, 1)).toBe(201);
    await expect.poll(() => state().reason, PATIENCE).toContain("behind the primary");
    expect(await tonnesAndReads(second)).toEqual({ tonnes: 0, fromReplica: false });
  });

  it("reads from the primary what a hanging replica does not answer", async () => {
    replica.hang();
    onTestFinished(() => void replica.resume());
    const answers = await Promise.all(Array.from({ length: 10 }, () => tonnes(second)));
    expect(answers).toEqual(Array(10).fill(0));
    await expect.poll(() => state().reason, PATIENCE).toContain("does not answer");
    expect(await tonnesAndReads(second)).toEqual({ tonnes: 0, fromReplica: false });
  });

  it("answers from the cache and from the replica while the primary is down, and refuses writes until it is back", async () => {
    const total = await tonnes(first);
    const cached = () => gateway.rest("/emissions", first.key);
    const [unused, revoked] = [await newTenant(), await newTenant()];
    await database.prisma.apiKey.update({ where: { id: revoked.keyId }, data: { revokedAt: NOW } });
    for (const { id } of [unused, revoked])
      await expect.poll(() => database.replicas?.choose(id), PATIENCE).toBeDefined();
    await replica.replayed();
    await primary.kill();
    try {
      for (let turn = 0; turn < 20; turn += 1) {
        expect(await tonnesAndReads(first)).toEqual({ tonnes: total, fromReplica: true });
        expect((await cached()).status).toBe(200);
      }
      expect(await write(first, 1)).toBeGreaterThanOrEqual(500);
      expect((await gateway.rest("/market", second.key)).status).toBe(200);
      // These credentials were never used before.
      expect((await gateway.rest("/emissions", unused.key)).status).toBe(200);
      const asUser = callWith(gateway, { Authorization: `Bearer ${unused.token}` });
      expect((await asUser.call("/v1/emissions/records")).status).toBe(200);
      expect((await gateway.rest("/emissions", revoked.key)).status).toBe(401);
    } finally {
      await primary.start();
    }
    await expect.poll(() => write(first, 1), PATIENCE).toBe(201);
    await expect.poll(() => tonnes(first), PATIENCE).toBe(total + 1);
    await expect
      .poll(() => tonnesAndReads(first), PATIENCE)
      .toEqual({ tonnes: total + 1, fromReplica: true });
  });

  it("reports each replica's state and lag in the metrics", async () => {
    const { body } = await gateway.call<string>("/metrics");
    const replicaName = new URL(replica.url).host;
    expect(body).toContain(`gateway_replica_serving{replica="${replicaName}"} 1`);
    expect(body).toMatch(
      new RegExp(`gateway_replica_lag_seconds\\{replica="${replicaName}"\\} [\\d.e-]+\\n`),
    );
    expect(body).toMatch(new RegExp(`gateway_replica_reads_total\\{replica="${replicaName}"\\} [1-9]`));
  });

  it("is checked by doctor, and no longer reads from a replica that was promoted, nor once it is a standby again", async () => {
    const examineReplica = async () => {
      const env = { DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: replica.url };
      const { checks } = await examine(env, () => new Date());
      return checks.find(({ check }) => check === `replica ${new URL(replica.url).host}`);
    };
    await replica.replayed();
    expect(await examineReplica()).toMatchObject({
      status: "ok",
      message: expect.stringContaining("0 ms behind"),
    });
    // Restarts without a transaction to replay.
    await withClient(primary.url, (client) => client.query("CHECKPOINT"));
    await replica.replayed();
    await replica.shutDown();
    await replica.start();
    await replica.pauseReplay();
    await withClient(primary.url, (client) => client.query("CREATE TABLE unreplayed ()"));
    await expect
      .poll(async () => (await examineReplica())?.message, PATIENCE)
      .toMatch(/^It is (?!0 ms)[\d.]+ ms behind the primary\./);
    await replica.resumeReplay();
    await replica.promote();
    await expect.poll(() => state().reason, PATIENCE).toBe("it is not a standby");
    expect(await tonnesAndReads(second)).toEqual({ tonnes: 0, fromReplica: false });
    expect(await examineReplica()).toMatchObject({
      status: "warning",
      message: expect.stringContaining("is not a standby"),
    });
    await withClient(replica.url, (client) => client.query("SELECT pg_switch_wal()"));
    await replica.demote();
    await expect.poll(() => state().reason, PATIENCE).toBe("it has changes that the primary does not have");
    expect(await tonnesAndReads(second)).toEqual({ tonnes: 0, fromReplica: false });
  });
});
