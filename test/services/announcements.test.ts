import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { callWith, signUp } from "../support/people.js";
import { withClient } from "../support/pg-client.js";
import { type Gateway, makeKey } from "../support/server.js";
import { useDatabase, useGateway } from "../support/use.js";

const PATIENCE = { timeout: 60_000, interval: 20 };
const WRITERS = 20;
const WRITES = 12;

const database = useDatabase();
const gateways = [useGateway({ database }), useGateway({ database })];

interface Tenant {
  readonly id: string;
  readonly token: string;
  readonly key: string;
}

async function newTenant(): Promise<Tenant> {
  const { organization, session } = await signUp(gateways[0] as Gateway);
  const { key } = await makeKey(database, organization.slug);
  return { id: organization.id, token: session.token, key };
}

/** Returns a tenant's total at each gateway, after it has handled earlier announcements. */
const totals = ({ key }: Tenant) =>
  Promise.all(
    gateways.map(async (gateway) => {
      const { body } = await gateway.rest("/emissions", key);
      return (body.data as { total_co2e_tonnes: number } | null)?.total_co2e_tonnes;
    }),
  );

/** Adds a record of one tonne through a gateway. */
async function writeAt(gateway: Gateway, { token }: Tenant): Promise<void> {
  const json = { recorded_on: "2026-11-02", scope: "scope_1", co2e_tonnes: 1 };
  const caller = callWith(gateway, { Authorization: `Bearer ${token}` });
  expect((await caller.call("/v1/emissions/records", { json })).status).toBe(201);
}

/** Adds a record as a gateway does, without the COMMIT and the announcement. */
async function begin(client: pg.ClientBase, tenant: Tenant): Promise<void> {
  await client.query("BEGIN; SET LOCAL gateway.announced = 'after'");
  await addRecord(client, tenant);
}

const addRecord = (client: pg.ClientBase, { id }: Tenant) =>
  client.query(
    `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes)
     VALUES ($1, '2026-11-02', 'scope_1', 1)`,
    [id],
  );

/** Adds a record like a gateway that announces it some milliseconds after its COMMIT. */
async function writeLate(client: pg.ClientBase, tenant: Tenant): Promise<void> {
  await begin(client, tenant);
  await client.query("COMMIT");
  await client.query("SELECT pg_sleep(random() * 0.015)");
  await client.query(
    `SELECT pg_notify('gateway_changes', message)
     FROM unnest(string_to_array(current_setting('gateway.changes'), E'\\n')) AS message WHERE message <> ''`,
  );
  await client.query("RESET gateway.changes");
}

describe("an acknowledged change", () => {
  it(`is in the next answer of two gateways, while ${WRITERS} writers announce late at random`, async () => {
    const tenants = await Promise.all(Array.from({ length: WRITERS }, newTenant));
    for (const tenant of tenants) expect(await totals(tenant)).toEqual([0, 0]);
    const pool = new pg.Pool({ connectionString: database.url, max: WRITERS / 2 });
    onTestFinished(() => pool.end());
    await Promise.all(
      tenants.map(async (tenant, writer) => {
        for (let turn = 1; turn <= WRITES; turn += 1) {
          if (writer % 2 === 0) {
            await writeAt(gateways[turn % gateways.length] as Gateway, tenant);
          } else {
            const client = await pool.connect();
            await writeLate(client, tenant).finally(() => client.release());
          }
          expect(await totals(tenant)).toEqual([turn, turn]);
        }
      }),
    );
    const { rows } = await pool.query(
      "SELECT organization_id AS id, sum(co2e_tonnes)::float8 AS total FROM emission_records GROUP BY 1",
    );
    const stored = new Map(rows.map(({ id, total }) => [id, total]));
    for (const tenant of tenants) {
      expect(await totals(tenant)).toEqual(gateways.map(() => stored.get(tenant.id)));
    }
  });

  it("is announced at COMMIT by a program that does not know of announcements", async () => {
    const messages: string[] = [];
    const listening = await database.listen("gateway_changes", {
      onMessage: (message) => void messages.push(message),
      onLost: () => undefined,
    });
    const { id } = await newTenant();
    await withClient(database.url, (client) =>
      client.query(`UPDATE organizations SET name = 'New' WHERE id = '${id}'`),
    );
    await expect
      .poll(() => messages, PATIENCE)
      .toContainEqual(expect.stringMatching(`^organizations ${id} \\d+$`));
    await listening.stop();
  });
});

describe("a change whose writer dies between its COMMIT and the announcement", () => {
  it("is noticed, even if later changes of its transaction, too many to gather, were announced at COMMIT", async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    for (const tenant of [one, other]) expect(await totals(tenant)).toEqual([0, 0]);
    await withClient(database.url, async (client) => {
      await begin(client, one);
      await client.query(
        "SELECT set_config('gateway.changes', current_setting('gateway.changes') || repeat('x', 20000), false)",
      );
      await addRecord(client, other);
      await client.query("COMMIT");
    });
    for (const tenant of [one, other]) await expect.poll(() => totals(tenant), PATIENCE).toEqual([1, 1]);
  });

  it("is noticed, even if it began before others and commits after they were noticed", async () => {
    const [late, early] = [await newTenant(), await newTenant()];
    for (const tenant of [late, early]) expect(await totals(tenant)).toEqual([0, 0]);
    await withClient(database.url, async (client) => {
      await begin(client, late);
      await withClient(database.url, async (other) => {
        await begin(other, early);
        await other.query("COMMIT");
      });
      await expect.poll(() => totals(early), PATIENCE).toEqual([1, 1]);
      expect(await totals(late)).toEqual([0, 0]);
      await client.query("COMMIT");
    });
    await expect.poll(() => totals(late), PATIENCE).toEqual([1, 1]);
  });
});
