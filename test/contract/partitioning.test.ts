import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadText } from "../../src/actions/bundle/load.js";
import { loadSample } from "../../src/actions/bundle/sample.js";
import { verifyBalances } from "../../src/data/credits/verify-balances.js";
import { listDisabledTriggers, listUnwatchedPartitions } from "../../src/data/database/schema/integrity.js";
import { sampleEmissionDays, verifyEmissionDays } from "../../src/data/emissions/verify-days.js";
import { TABLES, VISIBILITY } from "../../src/generated/tables.js";
import { SAMPLE_FOLDER } from "../../src/paths.js";
import { endpoints } from "../../src/rest/ext/index.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { addBatch, addFacility, addRecord, addSale } from "../support/fixtures.js";
import { HEADER, importCsv, saveCsv } from "../support/importing.js";
import { temporaryFolder } from "../support/process.js";
import { type Gateway, makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";

const SCRIPT = "prisma/partition-by-organization.sql";

/** Rights that differ from those of other tables. */
const GRANTS =
  "GRANT SELECT ON facilities TO PUBLIC; GRANT SELECT, UPDATE ON facilities TO pg_monitor WITH GRANT OPTION; GRANT UPDATE (name) ON facilities TO gateway_writer";

/** Unpartitioned tables: looked up before their organization is known, or kept after it is removed. */
const WHOLE = [
  "api_keys",
  "key_events",
  "memberships",
  "member_history",
  "invitations",
  "certificates",
  "period_locks",
  "inventory_issues",
  "service_accounts",
  "service_account_tokens",
  "idempotency_keys",
  "domains",
  "sso_connections",
  "sso_events",
  "directory_users",
  "directory_groups",
  "directory_members",
  "webhook_endpoints",
  "webhook_progress",
  "webhook_deliveries",
  "verification_requests",
  "verification_status_changes",
  "verification_snapshots",
  "verification_findings",
];

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const read = <Row>(sql: string) => database.transaction(({ query }) => query<Row>(sql));

/** Lists the tables whose rows all belong to organizations, except unpartitioned ones. */
async function listTenantTables(): Promise<string[]> {
  const rows = await read<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND a.attname = 'organization_id' AND a.attnotnull ORDER BY 1`,
  );
  return rows.map(({ name }) => name).filter((name) => !WHOLE.includes(name));
}

describe("every table whose rows all belong to organizations", () => {
  it("is visible to requests, or belongs to a visible one", async () => {
    const seen = Object.entries(VISIBILITY).filter(([, visibility]) => /\b(own|mine)\b/.test(visibility));
    const tables: string[] = seen.map(([model]) => TABLES[model as keyof typeof TABLES]);
    const others = (await listTenantTables()).filter((table) => !tables.includes(table));
    expect(others).toEqual([TABLES.ReplacedRecord]);
  });

  it("has the organization first in every index", async () => {
    const tables = await listTenantTables();
    const indexes = await read<{ table: string; definition: string; first: string }>(
      `SELECT i.indrelid::regclass::text AS table, pg_get_indexdef(i.indexrelid) AS definition, a.attname AS first
       FROM pg_index i LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]`,
    );
    const concerned = indexes.filter(({ table }) => tables.includes(table));
    expect(new Set(concerned.map(({ table }) => table))).toEqual(new Set(tables));
    // The index of grams begins with an expression of the organization. One job deletes expired rows of all organizations,
    // and one statement finds their unannounced changes.
    const isFirst = ({ first, definition }: (typeof concerned)[number]) =>
      first === "organization_id" ||
      /change_sets_(committed_at|stamp)_idx/.test(definition) ||
      definition.includes("emission_record_grams(organization_id,");
    expect(concerned.filter((index) => !isFirst(index))).toEqual([]);
  });

  it("refers to other such tables by organization too", async () => {
    const tables = await listTenantTables();
    const foreignKeys = await read<{ from: string; to: string; definition: string }>(
      `SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to, pg_get_constraintdef(oid) AS definition
       FROM pg_constraint WHERE contype = 'f'`,
    );
    const among = foreignKeys.filter(({ from, to }) => tables.includes(from) && tables.includes(to));
    expect(among.length).toBeGreaterThanOrEqual(3);
    const byOrganization =
      /^FOREIGN KEY \(organization_id, [\w, ]+\) REFERENCES \w+\(organization_id, [\w, ]+\)/;
    expect(among.filter(({ definition }) => !byOrganization.test(definition))).toEqual([]);
  });
});

describe("a database partitioned by organization", () => {
  let gateway: Gateway;
  let key: string;
  let answersBefore: unknown;

  const answers = async () =>
    Promise.all(
      endpoints.map(async ({ path }) => {
        const { status, body } = await gateway.rest(path, key);
        return { path, status, data: body.data };
      }),
    );
  const total = async () => {
    const { body } = await gateway.rest("/emissions", key);
    return (body.data as { total_co2e_tonnes: number }).total_co2e_tonnes;
  };
  let acme: string;

  beforeAll(async () => {
    const loaded = await loadSample(database, SAMPLE_FOLDER, NOW);
    acme = loaded.find(({ organization }) => organization !== null)?.organization ?? "";
    ({ key } = await makeKey(database, acme));
    gateway = await startGateway({ database });
    answersBefore = await answers();
    await gateway.stop();
    const script = await readFile(SCRIPT, "utf8");
    // Operators run the script with psql, which has no time limit.
    await database.transaction(
      async (sql) => {
        await sql.script(`SET LOCAL gateway.partitions = 4; ${GRANTS}`);
        await sql.script(script);
      },
      { mayTakeLong: true },
    );
    gateway = await startGateway({ database });
  });
  afterAll(() => gateway.stop());

  it("has each tenant table in four parts, with the same keys, checks, triggers, rights and policies", async () => {
    const parts = await read<{ name: string; parts: string }>(
      `SELECT inhparent::regclass::text AS name, count(*)::text AS parts FROM pg_inherits
       JOIN pg_class c ON c.oid = inhrelid WHERE c.relkind = 'r' GROUP BY 1 ORDER BY 1`,
    );
    expect(parts).toEqual((await listTenantTables()).map((name) => ({ name, parts: "4" })));
    const whole = await openTestDatabase();
    await whole.transaction(({ script }) => script(GRANTS));
    try {
      const before = await structureOf(whole);
      expect(before.length).toBeGreaterThan(100);
      expect(await structureOf(database)).toEqual(before);
    } finally {
      await whole.close();
    }
  });

  it("is not partitioned a second time, and loses nothing in the attempt", async () => {
    const script = await readFile(SCRIPT, "utf8");
    const again = database.transaction((sql) => sql.script(script));
    await expect(again).rejects.toThrow("nothing to partition");
  });

  it("gives the same answers at every endpoint as before", async () => {
    expect(await answers()).toEqual(answersBefore);
    for (const { status } of await answers()) expect(status).toBe(200);
  });

  it("recognizes a loaded bundle completely, and loads a new one", async () => {
    for (const { sections } of await loadSample(database, SAMPLE_FOLDER, NOW)) {
      for (const counts of Object.values(sections)) expect(counts).toMatchObject({ added: 0, updated: 0 });
    }
    expect(await answers()).toEqual(answersBefore);

    const bundle = (name: string) =>
      JSON.stringify({
        organization: { slug: "newcomer", name: "Newcomer" },
        facilities: [{ code: "mill", name, country: "IN" }],
        emission_records: [
          { recorded_on: "2026-11-01", scope: "scope_1", co2e_tonnes: "7", facility: "mill" },
        ],
        credit_batches: [{ reference: "b", credit_type: "VCS", quantity: 10, sold: 4 }],
      });
    const load = async (name: string) => (await loadText(database, "bundle", bundle(name), NOW)).sections;
    const counts = (added: number, updated: number) => ({ added, updated, unchanged: 1 - added - updated });
    const [added, updated, unchanged] = [counts(1, 0), counts(0, 1), counts(0, 0)];
    expect(await load("Mill")).toMatchObject({
      facilities: added,
      emission_records: added,
      credit_batches: added,
    });
    expect(await load("Old mill")).toMatchObject({ facilities: updated, emission_records: unchanged });
  });

  it("maintains the sums, and notifies gateways of every change", async () => {
    const before = await total();
    expect(await total()).toBe(before);
    await addRecord(database, acme, { co2eTonnes: 5, facility: await addFacility(database, acme) });
    expect(await total()).toBeCloseTo(before + 5, 6);

    const file = await saveCsv(
      temporaryFolder(),
      `${HEADER}\n2026-11-02,scope_2,2.5,,,,a\n2026-11-03,scope_1,1,,,,b\n`,
    );
    expect(await importCsv(database, file, acme)).toMatchObject({ added: 2 });
    expect(await total()).toBeCloseTo(before + 8.5, 6);
    expect(await importCsv(database, file, acme)).toMatchObject({ added: 0, unchanged: 2 });

    await database.transaction(({ script }) =>
      script(
        "DELETE FROM emission_records WHERE reference IN ('a', 'b'); DELETE FROM emission_records WHERE co2e_tonnes = 5",
      ),
    );
    expect(await total()).toBeCloseTo(before, 6);
    expect(await verifyEmissionDays(database)).toEqual([]);
  });

  /** Returns the partition with an organization's rows of a table. */
  const partOf = async (table: string, organization: string) => {
    const [row] = await read<{ part: string }>(
      `SELECT tableoid::regclass::text AS part FROM ${table}
       WHERE organization_id = (SELECT id FROM organizations WHERE slug = '${organization}') LIMIT 1`,
    );
    return row?.part ?? "";
  };

  /** Adds an organization with three tonnes, in different partitions than the sample's. */
  const makeApart = async (): Promise<string> => {
    const made = await makeOrganization(database, "Apart");
    await addRecord(database, made, { co2eTonnes: 3 });
    const isApart = (await partOf("emission_records", made)) !== (await partOf("emission_records", acme));
    return isApart ? made : makeApart();
  };

  it("maintains sums and balances, and notifies gateways, if partitions are written directly", async () => {
    const other = await makeApart();
    const { key: otherKey } = await makeKey(database, other);
    const run = (sql: string) => database.transaction(({ script }) => script(sql));
    const read = async () => {
      const [emissions, credits] = [
        (await gateway.rest("/emissions", otherKey)).body.data as Record<string, unknown>,
        (await gateway.rest("/credits", otherKey)).body.data as Record<string, unknown>,
      ];
      return [emissions["total_co2e_tonnes"], emissions["record_count"], credits["available_credits"]];
    };
    const batch = await addBatch(database, other, { quantity: 10 });
    await addSale(database, batch, { quantity: 4 });
    expect(await read()).toEqual([3, 1, 6]);

    const records = await partOf("emission_records", other);
    expect(records).toMatch(/^emission_records_\d$/);
    await run(`INSERT INTO ${records} (organization_id, recorded_on, scope, co2e_tonnes)
               SELECT id, '2026-11-02', 'scope_2', 4 FROM organizations WHERE slug = '${other}'`);
    expect(await read()).toEqual([7, 2, 6]);
    await run(`UPDATE ${records} SET co2e_tonnes = 5 WHERE co2e_tonnes = 4`);
    await run(`UPDATE ${await partOf("credit_sales", other)} SET quantity = 5`);
    expect(await read()).toEqual([8, 2, 5]);
    await run(`DELETE FROM ${records} WHERE co2e_tonnes = 5`);
    expect(await read()).toEqual([3, 1, 5]);

    const before = await verifyEmissionDays(database);
    await expect(run(`TRUNCATE ${records}`)).rejects.toThrow("is refused");
    await run(`DELETE FROM ${records}; DELETE FROM ${await partOf("credit_sales", other)}`);
    expect(await read()).toEqual([0, 0, 10]);
    expect([before, await verifyEmissionDays(database), await verifyBalances(database)]).toEqual([
      [],
      [],
      [],
    ]);
  });

  it("keeps sums unchanged when a partition is detached, and says so", async () => {
    const other = await makeApart();
    const part = await partOf("emission_records", other);
    const bound = part.replace(/^.*_/, "");
    const run = (sql: string) => database.transaction(({ script }) => script(sql));
    await run(`ALTER TABLE emission_records DETACH PARTITION ${part}`);
    const lost = await verifyEmissionDays(database);
    expect(lost.map(({ organization }) => organization)).toContain(other);
    expect(await sampleEmissionDays(database)).toContain(other);
    // Neither is one of the gateway's tables now.
    await run(
      `CREATE TABLE kept AS SELECT * FROM ${part}; DELETE FROM ${part}; INSERT INTO ${part} SELECT * FROM kept`,
    );
    expect(await verifyEmissionDays(database)).toEqual(lost);

    await run(
      `ALTER TABLE emission_records ATTACH PARTITION ${part} FOR VALUES WITH (MODULUS 4, REMAINDER ${bound})`,
    );
    expect(await verifyEmissionDays(database)).toEqual([]);
    expect(await listUnwatchedPartitions(database)).toEqual([]);
    await run(`DELETE FROM ${part}`);
    expect(await verifyEmissionDays(database)).toEqual([]);
  });

  it("reports a partition without its table's triggers, and adds them", async () => {
    const run = (sql: string) => database.transaction(({ script }) => script(sql));
    await run("DROP TRIGGER facilities_announce_truncate ON facilities_2");
    expect(await listUnwatchedPartitions(database)).toEqual([
      { table: "facilities_2", triggers: ["facilities_announce_truncate"] },
    ]);
    await run("SELECT watch_partitions()");
    expect(await listUnwatchedPartitions(database)).toEqual([]);
    expect(await listDisabledTriggers(database)).toEqual([]);
  });

  it("shows tenants nothing of each other, and can remove one with all its data", async () => {
    const other = await makeOrganization(database, "Other");
    await addRecord(database, other, { co2eTonnes: 3 });
    expect((await answers())[0]).toEqual((answersBefore as unknown[])[0]);
    const own = await makeKey(database, other);
    expect((await gateway.rest("/emissions", own.key)).body.data).toMatchObject({ total_co2e_tonnes: 3 });

    await database.prisma.organization.delete({ where: { slug: other } });
    const left = await read<{ rows: string }>(
      "SELECT count(*)::text AS rows FROM emission_records WHERE organization_id NOT IN (SELECT id FROM organizations)",
    );
    expect(left).toEqual([{ rows: "0" }]);
  });
});

describe("a database with rows older than a check", () => {
  it("is not partitioned, and the error counts the rows by table", async () => {
    const old = await openTestDatabase();
    const run = (sql: string) => old.transaction(({ script }) => script(sql));
    try {
      await makeOrganization(old);
      for (const [check, insert] of [
        [
          "compliance_deadlines_due_date_range",
          `compliance_deadlines (organization_id, framework, title, status, due_date)
           SELECT id, 'CDP', n, 'pending', 'infinity' FROM organizations, generate_series(1, 2) AS n`,
        ],
        [
          "compliance_statuses_last_updated_range",
          `compliance_statuses (organization_id, framework, status, last_updated)
           SELECT id, 'CDP', 'compliant', 'infinity' FROM organizations`,
        ],
      ] as const) {
        await run(`
          DO $$
          DECLARE
            name text;
            definition text;
          BEGIN
            SELECT conrelid::regclass, pg_get_constraintdef(oid) INTO name, definition
            FROM pg_constraint WHERE conname = '${check}';
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT ${check}', name);
            INSERT INTO ${insert};
            EXECUTE format('ALTER TABLE %s ADD CONSTRAINT ${check} %s', name, definition);
          END $$`);
      }
      await expect(run(await readFile(SCRIPT, "utf8"))).rejects.toThrow(
        "nothing was partitioned, because some rows are older than a check and violate it: " +
          "2 of compliance_deadlines (compliance_deadlines_due_date_range), " +
          "1 of compliance_statuses (compliance_statuses_last_updated_range)",
      );
    } finally {
      await old.close();
    }
  });
});

/** Lists columns, constraints, indexes and triggers of tables that are not partitions, one per line. */
async function structureOf({ transaction }: TestDatabase): Promise<string[]> {
  const rows = await transaction(({ query }) =>
    query<{ line: string }>(`
      WITH tables AS (
        SELECT oid AS id, oid::regclass::text AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      )
      SELECT format('column %s.%s %s %s %s', name, attname, format_type(atttypid, atttypmod), attnotnull,
                    pg_get_expr(adbin, adrelid)) AS line
      FROM tables JOIN pg_attribute ON attrelid = id AND attnum > 0 LEFT JOIN pg_attrdef ON adrelid = id AND adnum = attnum
      -- What a new table has is valid from the beginning.
      UNION ALL SELECT format('%s: %s %s', name, conname, replace(pg_get_constraintdef(oid), ' NOT VALID', ''))
      FROM tables JOIN pg_constraint ON conrelid = id WHERE contype <> 'n' AND conparentid = 0
      UNION ALL SELECT format('%s: %s %s', name, ARRAY(SELECT unnest(relacl)::text ORDER BY 1), relrowsecurity) FROM tables JOIN pg_class ON oid = id
      UNION ALL SELECT format('%s.%s: %s', name, attname, attacl) FROM tables JOIN pg_attribute ON attrelid = id AND attacl IS NOT NULL
      UNION ALL SELECT format('%s: %s %s %s %s %s %s', name, polname, polcmd, polpermissive, polroles,
                              pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
      FROM tables JOIN pg_policy ON polrelid = id
      UNION ALL SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') FROM tables JOIN pg_index ON indrelid = id
      UNION ALL SELECT format('%s: %s', tgenabled, pg_get_triggerdef(oid))
      FROM tables JOIN pg_trigger ON tgrelid = id WHERE NOT tgisinternal`),
  );
  return rows.map(({ line }) => line).toSorted();
}
