import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WRITING_ROLE } from "../../src/data/database/schema/grants.js";
import { write } from "../../src/data/database/transaction.js";
import type { SqlSession } from "../../src/data/database/types.js";
import { listRecords } from "../../src/data/emissions/records.js";
import { listRecordIds } from "../../src/data/emissions/records-of-months.js";
import { findUnusualRecords } from "../../src/data/emissions/unusual-records.js";
import { listFactorCategories } from "../../src/data/inventory/streams.js";
import { findLatestPlace, readChanges } from "../../src/data/sync/changes.js";
import { readAsTenant, type TenantReader } from "../../src/data/tenant/reader.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { makeOrganization, NOW } from "../support/server.js";

const RANGE = { from: "2025-11-21", to: "2026-11-20" };
const KEY = ["2026-03-01", "00000000-0000-0000-0000-000000000000"];
const FIRST = { size: 20, fromEnd: false, after: null, before: null };
const ROWS = 20_000;

interface Plan {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Relation Name"?: string;
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

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Returns the statements that `read` runs, with their values. They find nothing unless `select` runs them. */
async function statementsOf(
  tenant: string,
  read: (tenant: TenantReader) => Promise<unknown>,
  select: TestDatabase["select"] = async () => [],
) {
  const statements: Statement[] = [];
  const listening = {
    ...database,
    select<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
      statements.push({ text, values });
      return select(text, values);
    },
  };
  const time = { now: NOW, inTime: async <T>(work: (msLeft: number) => T | Promise<T>) => work(1_000) };
  await read(readAsTenant(listening, tenant, time));
  return statements;
}

/** Returns the first statement that reads a page, with its values. */
async function statementOf(tenant: string, descending: boolean, page: typeof FIRST, scopes: "scope_1"[]) {
  const list = { range: RANGE, filter: { scopes }, by: "recorded_on", descending } as const;
  const [first] = await statementsOf(tenant, (reader) => listRecords(reader, list, page));
  if (!first) throw new Error("nothing was read");
  return first;
}

const literal = (value: unknown) =>
  `'${String(Array.isArray(value) ? `{${value.map((one) => one ?? "NULL").join(",")}}` : value).replaceAll("'", "''")}'`;

/** Returns the nodes of a statement's plan, custom or generic by `mode`. As in production, policies apply to its role. */
async function planOf(sql: SqlSession, { text, values }: Statement, mode: string): Promise<Plan[]> {
  await sql.script(
    `SET LOCAL ROLE ${WRITING_ROLE}; SET LOCAL plan_cache_mode = ${mode}; PREPARE page AS ${text}`,
  );
  const [row] = await sql.query<{ "QUERY PLAN": { Plan: Plan }[] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE page (${values.map(literal).join(", ")})`,
  );
  await sql.script("DEALLOCATE page; RESET ROLE");
  const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
  return row?.["QUERY PLAN"].flatMap(({ Plan }) => nodesOf(Plan)) ?? [];
}

/** Statements that leave PostgreSQL with different statistics about the records. */
const STATISTICS = {
  "without statistics": `DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relname LIKE 'emission_records%');
    UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relname LIKE 'emission_records%'`,
  "with those of an empty table": `DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relname LIKE 'emission_records%');
    UPDATE pg_class SET reltuples = 0, relpages = 1 WHERE relname LIKE 'emission_records%'`,
  "with true ones": "ANALYZE emission_records",
};

const LIST = { range: null, filter: {}, by: "recorded_on", descending: true } as const;
const listed = (list: object) => (reader: TenantReader) => listRecords(reader, { ...LIST, ...list }, FIRST);
const largest = (month: object) => (reader: TenantReader) =>
  listRecordIds(reader, [{ month: "2026-05", ...month }], 20);

/** Lookups, with the indexes that they must use. */
const LOOKUPS: Readonly<Record<string, readonly [(reader: TenantReader) => Promise<unknown>, RegExp]>> = {
  "a text": [listed({ search: "R0999999" }), /grams/],
  "two characters": [listed({ search: "zz" }), /grams/],
  "a text of one facility": [listed({ search: "it's", filter: { facilityIds: [KEY[1]] } }), /grams/],
  "a reference": [listed({ filter: { references: ["R0999999"] } }), /reference/],
  "the largest records of a month": [largest({}), /scope_month|organization_id_scope_expr/],
  "the largest records of a scope": [largest({ scope: "scope_2" }), /scope_month|organization_id_scope_expr/],
  "the largest records of a category": [largest({ category: "travel" }), /category_month|category_expr/],
  "the largest records without a category": [largest({ category: null }), /category_month|category_expr/],
  "the largest records of a facility": [
    largest({ facility: "PUNE" }),
    /facility_month|facility_id_scope_expr/,
  ],
  "the largest records of a facility's scope": [
    largest({ facility: null, scope: "scope_1" }),
    /facility_month|facility_id_scope_expr/,
  ],
  "the largest records of a stream": [
    (reader) => listFactorCategories(reader, [{ scope: "scope_2", category: null, latestMonth: "2026-05" }]),
    /category_month|category_expr/,
  ],
};

/** Lists the tables of records that have rows. */
const listFilled = async (sql: SqlSession) => {
  const rows = await sql.query<{ name: string }>(
    `SELECT relname::text AS name FROM pg_class
     WHERE relname LIKE 'emission_records%' AND relkind = 'r' AND pg_relation_size(oid) > 0`,
  );
  return rows.map(({ name }) => name);
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
              // Above this cost, a server may compile the statement, which takes longer than reading the page.
              expect(plan[0]?.["Total Cost"]).toBeLessThan(100_000);
            }
  };

  const expectLookups = async () => {
    for (const [name, [read, wanted]] of Object.entries(LOOKUPS))
      for (const of of [tenant, other])
        for (const mode of ["force_custom_plan", "force_generic_plan"]) {
          const statement = (await statementsOf(of, read)).at(-1);
          const plan = statement ? await database.transaction((sql) => planOf(sql, statement, mode)) : [];
          const filled = await database.transaction(listFilled);
          const scanned = plan.filter(({ "Node Type": type }) => type === "Seq Scan");
          expect([
            name,
            mode,
            scanned.filter((node) => filled.includes(node["Relation Name"] ?? "")),
          ]).toEqual([name, mode, []]);
          const isOfFilled = ({ "Relation Name": name = "" }: Plan) => filled.includes(name);
          const sorted = plan.filter(
            ({ "Node Type": type, Plans = [] }) => /Sort/.test(type) && Plans.some(isOfFilled),
          );
          if (name.startsWith("the largest")) expect([name, mode, sorted]).toEqual([name, mode, []]);
          const indexes = plan.flatMap((node) => node["Index Name"] ?? []);
          const isOfRecords = (index: string) => !/^(facilities|emission_factors)/.test(index);
          expect(indexes.filter(isOfRecords).length).toBeGreaterThan(0);
          for (const index of indexes.filter(isOfRecords))
            expect([name, mode, index]).toEqual([name, mode, expect.stringMatching(wanted)]);
          expect([name, (plan[0]?.["Total Cost"] ?? 0) < 100_000]).toEqual([name, true]);
        }
  };

  const expectChanges = async () => {
    for (const of of [tenant, other])
      for (const mode of ["force_custom_plan", "force_generic_plan"]) {
        const pages = async (reader: TenantReader) => {
          const { next } = await findLatestPlace(reader);
          const first = await readChanges(reader, "emission-records", null, 1_000);
          await readChanges(reader, "emission-records", first.next, 1_000);
          const from = { removed: false, key: KEY[1] ?? "" };
          const { items } = await readChanges(reader, "emission-records", { ...next, next: 1, from }, 1_000);
          expect(items).toHaveLength(1_000);
        };
        for (const statement of await statementsOf(of, pages, database.select)) {
          const plan = await database.transaction((sql) => planOf(sql, statement, mode));
          const filled = await database.transaction(listFilled);
          // Sorting a few rows is as fast as reading an index.
          const readsFilled = ({ "Relation Name": name = "", Plans = [] }: Plan): boolean =>
            filled.includes(name) || Plans.some(readsFilled);
          const wrong = plan.filter((node) => /Sort|Seq|Bitmap/.test(node["Node Type"]) && readsFilled(node));
          expect([mode, statement.text, wrong]).toEqual([mode, statement.text, []]);
          expect(plan[0]?.["Total Cost"]).toBeLessThan(100_000);
        }
      }
  };

  it("is read in index order after an import without ANALYZE", expectOrder);
  it("of changes is read by index after an import without ANALYZE", expectChanges);

  it.each(Object.entries(STATISTICS))("is read in index order %s", async (_what, statements) => {
    await run(statements);
    await expectOrder();
    await expectChanges();
  });

  it("is looked up by its index", async () => {
    await run(STATISTICS["with true ones"]);
    await expectLookups();
  });

  it("compares a new record with the latest 240 of its facility and category", async () => {
    const record = `(SELECT gen_random_uuid() AS id, 1 AS line, date '2026-11-20' AS recorded_on, 900000.0 AS co2e_tonnes,
      NULL::uuid AS facility_id, NULL::text AS category)`;
    await run(STATISTICS["with true ones"]);
    for (const of of [tenant, other]) {
      const read = await write(
        database,
        { actor: { type: "user", id: KEY[1] ?? "" }, organizationId: of, requestId: "" },
        async (sql) => {
          const compared = { from: record, isFresh: "true", parameters: [] };
          const countRead = async () => {
            const [row] = await sql.query<{ rows: number }>(
              `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 AS rows FROM pg_stat_xact_all_tables
               WHERE relname LIKE 'emission_records%'`,
            );
            return row?.rows ?? Number.NaN;
          };
          const before = await countRead();
          expect(await findUnusualRecords(sql, of, compared, 1)).toMatchObject({ count: 1 });
          return (await countRead()) - before;
        },
      );
      expect(read).toBe(240);
    }
  });
});
