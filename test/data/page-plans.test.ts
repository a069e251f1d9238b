import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SqlSession } from "../../src/data/database/types.js";
import { listRecords } from "../../src/data/emissions/records.js";
import { readAsTenant } from "../../src/data/tenant/reader.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { makeOrganization, NOW } from "../support/server.js";

const RANGE = { from: "2025-11-21", to: "2026-11-20" };
const KEY = ["2026-03-01", "00000000-0000-0000-0000-000000000000"];
const FIRST = { size: 20, fromEnd: false, after: null, before: null };
const ROWS = 20_000;

interface Plan {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Total Cost": number;
  readonly Plans?: readonly Plan[];
}

let database: TestDatabase;
const run = (sql: string) => database.transaction(({ script }) => script(sql));

async function addTenant(rows: number): Promise<string> {
  const slug = await makeOrganization(database);
  const { id } = await database.prisma.organization.findUniqueOrThrow({ where: { slug } });
  await run(`INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes)
    SELECT '${id}', date '2026-11-20' - n % 730, 'scope_1', n FROM generate_series(1, ${rows}) AS n`);
  return id;
}

/** The statement that reads a page, and its values. */
async function statementOf(tenant: string, descending: boolean, page: typeof FIRST, scopes: "scope_1"[]) {
  let statement = { text: "", values: [] as readonly unknown[] };
  const listening = {
    ...database,
    async select<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
      statement = { text, values };
      return [];
    },
  };
  const time = { now: NOW, inTime: async <T>(work: (msLeft: number) => T | Promise<T>) => work(1_000) };
  await listRecords(
    readAsTenant(listening, tenant, time),
    { range: RANGE, filter: { scopes }, by: "recorded_on", descending },
    page,
  );
  return statement;
}

const literal = (value: unknown) => `'${Array.isArray(value) ? `{${value.join(",")}}` : value}'`;

/** The nodes of a statement's plan, made for its values or for any. */
async function planOf(
  sql: SqlSession,
  { text, values }: { text: string; values: readonly unknown[] },
  mode: string,
): Promise<Plan[]> {
  await sql.script(`SET LOCAL plan_cache_mode = ${mode}; PREPARE page AS ${text}`);
  const [row] = await sql.query<{ "QUERY PLAN": { Plan: Plan }[] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE page (${values.map(literal).join(", ")})`,
  );
  await sql.script("DEALLOCATE page");
  const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
  return row?.["QUERY PLAN"].flatMap(({ Plan }) => nodesOf(Plan)) ?? [];
}

/** What PostgreSQL may know of the records when a page is read, however they came. */
const STATISTICS = {
  "without statistics": `DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relname LIKE 'emission_records%');
    UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relname LIKE 'emission_records%'`,
  "with those of an empty table": `DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relname LIKE 'emission_records%');
    UPDATE pg_class SET reltuples = 0, relpages = 1 WHERE relname LIKE 'emission_records%'`,
  "with true ones": "ANALYZE emission_records",
};

describe.each(["whole", "partitioned"])("a page of the records in a %s table", (kind) => {
  let other: string;
  let tenant: string;
  beforeAll(async () => {
    database = await openTestDatabase();
    if (kind === "partitioned") {
      const script = await readFile("prisma/partition-by-organization.sql", "utf8");
      await run(`SET LOCAL gateway.partitions = 4; ${script}`);
    }
    other = await addTenant(ROWS);
    await run("ANALYZE emission_records");
    tenant = await addTenant(ROWS);
  });
  afterAll(() => database.close());

  const expectOrder = async () => {
    for (const of of [tenant, other])
      for (const mode of ["force_custom_plan", "force_generic_plan"])
        for (const descending of [true, false])
          for (const page of [FIRST, { ...FIRST, after: KEY }, { ...FIRST, fromEnd: true, size: 100 }])
            for (const scopes of [[], ["scope_1" as const]]) {
              const statement = await statementOf(of, descending, page as typeof FIRST, scopes);
              const plan = await database.transaction((sql) => planOf(sql, statement, mode));
              const types = plan
                .map((node) => node["Node Type"])
                .filter((type) => /Sort|Bitmap|Seq/.test(type));
              expect([mode, descending, page, types]).toEqual([mode, descending, page, []]);
              const indexes = plan.flatMap((node) => node["Index Name"] ?? []);
              expect(indexes.length).toBeGreaterThan(0);
              for (const index of indexes) expect(index).toMatch(/recorded_on/);
              // Above it a server may compile the statement first, which takes longer than reading the page.
              expect(plan[0]?.["Total Cost"]).toBeLessThan(100_000);
            }
  };

  it("is read in the order of the index after an import that was not analyzed", expectOrder);

  it.each(Object.entries(STATISTICS))("is read in the order of the index %s", async (_what, statements) => {
    await run(statements);
    await expectOrder();
  });
});
