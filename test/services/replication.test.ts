import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { revokeKeyById } from "../../src/actions/keys/revoke-key.js";
import { notify } from "../../src/actions/notifications/notify.js";
import { verifyIntegrity } from "../../src/actions/verify-integrity.js";
import { verifyChain } from "../../src/data/audit/verify-chain.js";
import { migrate } from "../../src/data/database/schema/migrations.js";
import { write } from "../../src/data/database/transaction.js";
import { claimDeliveries } from "../../src/data/notifications/outbox.js";
import { TABLES } from "../../src/generated/tables.js";
import { MIGRATIONS_FOLDER } from "../../src/paths.js";
import { addUser } from "../support/audit.js";
import type { TestDatabase } from "../support/database.js";
import { addBatch, addPrice, addRecord, addSale } from "../support/fixtures.js";
import { blocksOf, readPage, sectionOf } from "../support/pages.js";
import { createPostgresServer } from "../support/postgres-server.js";
import { openPostgres } from "../support/served.js";
import { type Gateway, makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";
import { use } from "../support/use.js";

/** SELECT of the documented statement, which psql's \gexec runs. */
const [publication = ""] =
  blocksOf(sectionOf(await readPage("docs/many-machines.md"), "## Logical replication"), "sql")[0]?.split(
    "\\gexec",
  ) ?? [];

describe("a gateway on a subscriber of the documented publication", () => {
  let publisher: TestDatabase;
  let subscriber: TestDatabase;
  let gateway: Gateway;
  let slug: string;
  let key: string;
  let keyId: string;

  const open = async (name: string): Promise<TestDatabase> => {
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    const database = openPostgres(url.href, { statementTimeoutMs: 0, onError: () => undefined });
    await migrate(database, MIGRATIONS_FOLDER);
    return { ...database, url: url.href, waitForAnnouncements: async () => undefined };
  };
  const read = async (path: string) => (await gateway.rest(path, key)).body.data;

  const server = use(() => createPostgresServer({ wal_level: "logical" }));
  beforeAll(async () => {
    await server.start();
    const admin = openPostgres(server.url, { statementTimeoutMs: 0, onError: () => undefined });
    for (const name of ["publisher", "subscriber"]) await admin.select(`CREATE DATABASE ${name}`, []);
    await admin.close();
    [publisher, subscriber] = [await open("publisher"), await open("subscriber")];

    slug = await makeOrganization(publisher);
    ({ key, id: keyId } = await makeKey(publisher, slug));
    await addRecord(publisher, slug, { co2eTonnes: 3 });
    await addSale(publisher, await addBatch(publisher, slug, { quantity: 10 }), { quantity: 4 });
    const [statement] = await publisher.select<{ format: string }>(publication, []);
    await publisher.select(statement?.format ?? "", []);
    // A subscription to the same server deadlocks if it creates the slot itself.
    await publisher.select("SELECT pg_create_logical_replication_slot('gateway', 'pgoutput')", []);
    await subscriber.select("TRUNCATE price_indices, price_index_weights, change_sets", []);
    await subscriber.select(
      `CREATE SUBSCRIPTION gateway CONNECTION '${publisher.url}' PUBLICATION gateway WITH (create_slot = false)`,
      [],
    );
    const unready = "SELECT srrelid::regclass::text FROM pg_subscription_rel WHERE srsubstate <> 'r'";
    await vi.waitFor(async () => expect(await subscriber.select(unready, [])).toEqual([]), 60_000);
    gateway = await startGateway({ database: subscriber });
  });
  afterAll(async () => {
    await gateway?.stop();
    await publisher?.close();
    await subscriber?.close();
  });

  it("publishes every table except pending audit entries and each side's own jobs", async () => {
    const tables = await publisher.select<{ name: string }>(
      "SELECT tablename AS name FROM pg_publication_tables WHERE pubname = 'gateway'",
      [],
    );
    const left: readonly string[] = [
      TABLES.AuditPending,
      TABLES.AuditCheck,
      TABLES.Job,
      TABLES.PlatformDay,
      TABLES.MailJob,
      TABLES.DeliveryTurn,
    ];
    const published = Object.values(TABLES).filter((table) => !left.includes(table));
    expect(tables.map(({ name }) => name).toSorted()).toEqual(published.toSorted());
  });

  it("has the existing rows, with each sum and balance counted once", async () => {
    expect(await read("/emissions")).toMatchObject({ total_co2e_tonnes: 3, record_count: 1 });
    expect(await read("/credits")).toMatchObject({ available_credits: 6 });
    expect(await verifyIntegrity(subscriber, false)).toMatchObject({
      differences: 0,
      balances: { differences: 0 },
    });
  });

  it("hears of every change that arrives", async () => {
    await addRecord(publisher, slug, { co2eTonnes: 4 });
    await expect.poll(() => read("/emissions")).toMatchObject({ total_co2e_tonnes: 7, record_count: 2 });
    await addSale(publisher, await addBatch(publisher, slug, { quantity: 10 }), { quantity: 1 });
    await expect.poll(() => read("/credits")).toMatchObject({ available_credits: 15 });
    await addPrice(publisher, null, { price: 5 });
    await expect.poll(() => read("/market")).toMatchObject({ prices: [{ price: 5 }] });
    await publisher.transaction(({ script }) => script("DELETE FROM emission_records"));
    await expect.poll(() => read("/emissions")).toMatchObject({ total_co2e_tonnes: 0, record_count: 0 });
    expect(await verifyIntegrity(subscriber, false)).toMatchObject({
      differences: 0,
      balances: { differences: 0 },
    });
  });

  it("leaves sending notifications to the publisher, though their rows arrive", async () => {
    const userId = await addUser(publisher);
    await write(publisher, "serve", (sql) =>
      notify(sql, {
        organizationId: null,
        to: { users: [userId] },
        key: "x",
        category: "security",
        severity: "low",
        title: "x",
        body: "",
        link: null,
        now: NOW,
      }),
    );
    await expect.poll(() => subscriber.prisma.delivery.count()).toBe(1);
    expect(await claimDeliveries(subscriber, "email", 9, NOW)).toEqual([]);
    expect(await claimDeliveries(publisher, "email", 9, NOW)).toMatchObject([
      { userId, channel: "email", attempts: 1 },
    ]);
  });

  it("refuses a key revoked at the publisher, and has the same key history", async () => {
    const status = async () => (await gateway.rest("/market", key)).status;
    expect(await status()).toBe(200);
    await revokeKeyById({ database: publisher, pepper: undefined, now: NOW }, keyId);
    await expect.poll(status).toBe(401);
    const events = "SELECT id, kind, command, database_user FROM key_events ORDER BY id";
    await expect.poll(() => subscriber.select(events, [])).toEqual(await publisher.select(events, []));
    const { organizationId } = await publisher.prisma.apiKey.findUniqueOrThrow({ where: { id: keyId } });
    const chain = await verifyChain(publisher, organizationId);
    expect(chain).toMatchObject({ ok: true, entries: 11 });
    await expect.poll(() => verifyChain(subscriber, organizationId)).toEqual(chain);
  });
});
