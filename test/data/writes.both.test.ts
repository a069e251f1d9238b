import { readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyIntegrity } from "../../src/actions/verify-integrity.js";
import { TABLES } from "../../src/generated/tables.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { addBatch, addRecord, addSale } from "../support/fixtures.js";
import { type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";

let database: TestDatabase;
let gateway: Gateway;
beforeAll(async () => {
  database = await openTestDatabase();
  gateway = await startGateway({ database });
});
afterAll(async () => {
  await gateway.stop();
  await database.close();
});

/** Runs statements in one transaction. */
const write = (...statements: string[]) =>
  database.transaction(({ script }) => script(statements.join(";\n")));

/** Adds an organization with one record of three tonnes and six of ten credits left, and a key with a way to read these. */
async function makeTenant() {
  const slug = await makeOrganization(database);
  await addRecord(database, slug, { co2eTonnes: 3 });
  const batch = await addBatch(database, slug, { quantity: 10 });
  await addSale(database, batch, { quantity: 4 });
  const { key, id } = await makeKey(database, slug);
  const figures = async () => {
    const read = async (path: string) => (await gateway.rest(path, key)).body.data as Record<string, unknown>;
    const [emissions, credits] = [await read("/emissions"), await read("/credits")];
    return [emissions["total_co2e_tonnes"], emissions["record_count"], credits["available_credits"]];
  };
  return { slug, organization: batch.organizationId, batch: batch.id, key, id, figures };
}

const isTrue = async () => {
  const { differences, balances } = await verifyIntegrity(database, false);
  expect([differences, balances.differences]).toEqual([0, 0]);
};

describe("derived data", () => {
  const ways: [string, string][] = [
    [
      "a session with a temporary table for each of the gateway's tables",
      Object.values(TABLES)
        .map((name) => `CREATE TEMPORARY TABLE ${name} (LIKE public.${name}) ON COMMIT DROP`)
        .join(";\n"),
    ],
    [
      "a session with temporary types of the gateway's names",
      "CREATE TYPE pg_temp.emission_grain AS ENUM ('x'); CREATE TYPE pg_temp.emission_scope AS ENUM ('x')",
    ],
    ["a session whose search_path is empty", "SET LOCAL search_path = ''"],
    ["a session of the role replica", "SET LOCAL session_replication_role = replica"],
  ];

  it.each(ways)("follows writes in %s, and gateways are notified", async (_what, first) => {
    const { organization, batch, figures } = await makeTenant();
    expect(await figures()).toEqual([3, 1, 6]);
    const record = `(organization_id, recorded_on, scope, co2e_tonnes) VALUES ('${organization}', '2026-11-02', 'scope_2', 4)`;
    await write(
      first,
      `INSERT INTO public.emission_records ${record}, ('${organization}', '2026-11-03', 'scope_2', 5)`,
      `UPDATE public.emission_records SET co2e_tonnes = 6 WHERE co2e_tonnes = 5`,
      `DELETE FROM public.emission_records WHERE co2e_tonnes = 3`,
      `INSERT INTO public.credit_sales (organization_id, batch_id, reference, quantity) VALUES ('${organization}', '${batch}', 'x', 2)`,
      `UPDATE public.credit_batches SET quantity = 20, sold = 0 WHERE id = '${batch}'`,
      ...(first.includes("TYPE") ? ["DROP TYPE pg_temp.emission_grain, pg_temp.emission_scope"] : []),
    );
    expect(await figures()).toEqual([10, 2, 14]);
    await isTrue();
  });

  it("follows writes in a schema with another name", async () => {
    const slug = "elsewhere";
    const folders = (await readdir("prisma/migrations")).filter((name) => /^\d/.test(name)).toSorted();
    const scripts = await Promise.all(
      folders.map((name) => readFile(`prisma/migrations/${name}/migration.sql`, "utf8")),
    );
    await write('CREATE SCHEMA "Other Tenants"', 'SET LOCAL search_path = "Other Tenants"', ...scripts);
    await write(
      `SET LOCAL search_path = ''`,
      `INSERT INTO "Other Tenants".organizations (slug, name) VALUES ('${slug}', 'x')`,
      `INSERT INTO "Other Tenants".emission_records (organization_id, recorded_on, scope, co2e_tonnes)
       SELECT id, '2026-11-02', 'scope_2', 4 FROM "Other Tenants".organizations`,
    );
    const rows = await database.select(
      `SELECT sum(record_count)::text AS count FROM "Other Tenants".emission_days WHERE grain = 'day'`,
      [],
    );
    expect(rows).toEqual([{ count: "1" }]);
    await write('DROP SCHEMA "Other Tenants" CASCADE');
  });
});

describe("a cached key", () => {
  it.each([
    "UPDATE api_keys SET id = gen_random_uuid()",
    "UPDATE api_keys SET revoked_at = now()",
    "SET LOCAL session_replication_role = replica; UPDATE api_keys SET revoked_at = now()",
    "SET LOCAL session_replication_role = replica; DELETE FROM api_keys",
  ])("is read again after %s", async (statement) => {
    const { key, id } = await makeTenant();
    expect((await gateway.rest("/market", key)).status).toBe(200);
    const lookups = async () => {
      const { body } = await gateway.call<string>("/metrics");
      return Number(/gateway_memory_lookups_total\{memory="keys",result="computed"\} (\d+)/.exec(body)?.[1]);
    };
    await gateway.rest("/market", key);
    const before = await lookups();
    await write(`${statement} WHERE id = '${id}'`);
    await gateway.rest("/market", key);
    expect(await lookups()).toBe(before + 1);
  });
});

describe("a write that bypasses triggers", () => {
  it("is found by verify, which repairs it and makes gateways clear their caches", async () => {
    const { slug, batch, figures } = await makeTenant();
    expect(await figures()).toEqual([3, 1, 6]);
    const tables = ["emission_records", "credit_batches", "credit_sales"];
    await write(
      ...tables.map((table) => `ALTER TABLE ${table} DISABLE TRIGGER ALL`),
      `UPDATE emission_records SET co2e_tonnes = 5 WHERE organization_id = (SELECT id FROM organizations WHERE slug = '${slug}')`,
      `UPDATE credit_sales SET quantity = 9 WHERE batch_id = '${batch}'`,
      ...tables.map((table) => `ALTER TABLE ${table} ENABLE TRIGGER ALL`),
    );
    const found = await verifyIntegrity(database, false);
    expect(found.differences).toBe(7);
    expect(found.balances).toEqual({
      differences: 1,
      overdrawn: 0,
      first: [
        {
          organization: slug,
          batch: expect.any(String),
          quantity: "10",
          overdrawn: false,
          kept: { sold: "4", retired: "0", available: "6" },
          recomputed: { sold: "9", retired: "0" },
        },
      ],
    });
    expect(await verifyIntegrity(database, true)).toMatchObject({ repaired: true });
    expect(await figures()).toEqual([5, 1, 1]);
    await isTrue();
  });

  it("is reported and kept if more credits were taken than issued", async () => {
    const { batch } = await makeTenant();
    await write(
      "ALTER TABLE credit_sales DISABLE TRIGGER ALL",
      `UPDATE credit_sales SET quantity = 11 WHERE batch_id = '${batch}'`,
      "ALTER TABLE credit_sales ENABLE TRIGGER ALL",
    );
    const { balances } = await verifyIntegrity(database, true);
    expect(balances).toMatchObject({ differences: 1, overdrawn: 1, first: [{ overdrawn: true }] });
    await write(`UPDATE credit_batches SET quantity = 20 WHERE id = '${batch}'`);
    await verifyIntegrity(database, true);
    await isTrue();
  });
});
