import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyIntegrity } from "../../src/actions/verify-integrity.js";
import { describeVerification } from "../../src/commands/verify.js";
import type { SqlSession } from "../../src/data/database/types.js";
import { repairEmissionDays, verifyEmissionDays } from "../../src/data/emissions/verify-days.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { makeOrganization } from "../support/server.js";

let database: TestDatabase;
/** Two organizations; their records have one of two facilities, or none. */
let owners: { organization: string; facilities: (string | null)[] }[];

beforeAll(async () => {
  database = await openTestDatabase();
  owners = [];
  for (const name of ["One", "Two"]) {
    const slug = await makeOrganization(database, name);
    const { id } = await database.prisma.organization.findUniqueOrThrow({ where: { slug } });
    const facilities: (string | null)[] = [null];
    for (const code of ["A", "B"]) {
      const row = { organizationId: id, code, name: code, country: "IN" };
      facilities.push((await database.prisma.facility.create({ data: row })).id);
    }
    owners.push({ organization: id, facilities });
  }
});
afterAll(() => database.close());

interface Place {
  owner: number;
  facility: number;
  day: number;
  scope: number;
  category: number;
  /** Millionths of a tonne. */
  amount: bigint;
  /** Market-based amount, in millionths of a tonne. */
  marketBased: bigint | null;
  /** Millionths of a kWh; biogenic CO2 in millionths of a tonne. */
  energy: bigint | null;
  biogenic: bigint | null;
}

type Write =
  | { kind: "insert"; places: Place[] }
  | { kind: "upsert"; places: Place[] }
  | { kind: "move"; from: Pick<Place, "day">; to: Place }
  | { kind: "delete"; from: Pick<Place, "day" | "scope"> }
  | { kind: "rename" };

const place = fc.record<Place>({
  owner: fc.nat(1),
  facility: fc.nat(2),
  day: fc.nat(3),
  scope: fc.integer({ min: 1, max: 3 }),
  category: fc.nat(2),
  amount: fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, 10n ** 18n)),
  marketBased: fc.option(fc.bigInt(0n, 3n)),
  energy: fc.option(fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, 10n ** 21n))),
  biogenic: fc.option(fc.bigInt(0n, 3n)),
});
const places = fc.array(place, { minLength: 1, maxLength: 8 });
const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("insert" as const), places }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("upsert" as const), places }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      from: fc.record({ day: fc.nat(3) }),
      to: place,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("delete" as const),
      from: fc.record({ day: fc.nat(3), scope: fc.integer({ min: 1, max: 3 }) }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "rename" as const }) },
);
/** Writes of one transaction, which is rolled back if it `fails`. */
const transaction = fc.record({
  writes: fc.array(write, { minLength: 1, maxLength: 4 }),
  fails: fc.boolean(),
});

/** The first and last day of a February in a leap year, the day after, and the end of another year. */
const DAYS = ["2028-02-01", "2028-02-29", "2028-03-01", "2026-12-31"];
const dayOf = (day: number) => DAYS[day] ?? "";
const tonnes = (amount: bigint) => `${amount / 1_000_000n}.${String(amount % 1_000_000n).padStart(6, "0")}`;

function columns({ owner, facility, day, scope, category, ...amounts }: Place) {
  const { organization, facilities } = owners[owner] ?? { organization: "", facilities: [] };
  return [
    organization,
    facilities[facility] ?? null,
    dayOf(day),
    `scope_${scope}`,
    category === 0 ? null : `category ${category}`,
    ...[amounts.amount, amounts.marketBased, amounts.energy, amounts.biogenic].map((amount) =>
      amount === null ? null : tonnes(amount),
    ),
  ];
}

const COLUMNS =
  "organization_id, facility_id, recorded_on, scope, category, co2e_tonnes, market_based_tonnes, energy_kwh, biogenic_co2_tonnes";
const VALUES =
  "$1::uuid, $2::uuid, $3::date, $4::text::emission_scope, $5::text, $6::numeric, $7::numeric, $8::numeric, $9::numeric";

/** Performs a write on rows of this writer only: writers of the same rows would wait for each other regardless of sums. */
async function perform(sql: SqlSession, writer: string, step: Write, ordinal: number): Promise<void> {
  if (step.kind === "insert" || step.kind === "upsert") {
    for (const [index, row] of step.places.entries()) {
      const identity =
        step.kind === "upsert" ? `${writer} ${row.owner} ${index}` : `${writer} ${ordinal} ${index}`;
      await sql.query(
        `INSERT INTO emission_records (${COLUMNS}, id, source) VALUES (${VALUES}, md5($10)::uuid, $11)
         ON CONFLICT (organization_id, id) DO UPDATE SET (${COLUMNS}) = (EXCLUDED.${COLUMNS.replaceAll(", ", ", EXCLUDED.")})`,
        [...columns(row), identity, writer],
      );
    }
  } else if (step.kind === "move") {
    await sql.query(
      `UPDATE emission_records SET (${COLUMNS}) = (${VALUES}), id = gen_random_uuid()
       WHERE source = $10 AND recorded_on = $11::date`,
      [...columns(step.to), writer, dayOf(step.from.day)],
    );
  } else if (step.kind === "delete") {
    await sql.query(
      "DELETE FROM emission_records WHERE source = $1 AND recorded_on = $2::date AND scope = $3::text::emission_scope",
      [writer, dayOf(step.from.day), `scope_${step.from.scope}`],
    );
  } else {
    await sql.query("UPDATE emission_records SET reference = 'renamed' WHERE source = $1", [writer]);
  }
}

const STORED = ["co2e_tonnes", "record_count", "energy_kwh", "energy_record_count", "biogenic_co2_tonnes"];

/** Computes the sums of records or days independently, one grain at a time. */
async function sumsOf(table: "records" | "days"): Promise<Record<string, unknown>[]> {
  const facility = "coalesce(facility_id::text, '')";
  const category = "coalesce(category, '')";
  const month = "(to_char(recorded_on, 'YYYY-MM') || '-01')::date";
  const grains = {
    day: ["recorded_on", "''", "''"],
    facility: ["recorded_on", facility, "''"],
    category: ["recorded_on", category, "''"],
    month: [month, "''", "''"],
    month_facility: [month, facility, "''"],
    month_category: [month, category, "''"],
    month_cell: [month, facility, category],
    market_day: ["recorded_on", "''", "''"],
    market_month: [month, "''", "''"],
  };
  const selects = Object.entries(grains).map(([grain, [day, part, subpart]]) => {
    const amount = grain.startsWith("market") ? "market_based_tonnes" : "co2e_tonnes";
    const energy =
      grain === "month_cell"
        ? ["sum(coalesce(energy_kwh, 0))", "count(energy_kwh)", "sum(coalesce(biogenic_co2_tonnes, 0))"]
        : ["0.000000", "0", "0.000000"];
    const columns = (amounts: readonly string[]) =>
      ["tonnes", "count", "energy", "energy_count", "biogenic"]
        .map((name, index) => `trim_scale((${amounts[index]})::numeric)::text AS ${name}`)
        .join(", ");
    return table === "records"
      ? `SELECT organization_id, '${grain}' AS grain, ${day} AS day, ${part} AS part, ${subpart} AS subpart, scope,
           ${columns([`sum(${amount})`, "count(*)", ...energy])} FROM emission_records WHERE ${amount} IS NOT NULL
         GROUP BY 1, 2, 3, 4, 5, 6`
      : `SELECT organization_id, '${grain}' AS grain, recorded_on AS day, part, subpart, scope,
           ${columns(STORED.map((name) => `sum(${name})`))}
         FROM emission_days WHERE grain = '${grain}' GROUP BY 1, 2, 3, 4, 5, 6
         HAVING (${STORED.map((name) => `sum(${name})`).join(", ")}) <> (0, 0, 0, 0, 0)`;
  });
  return database.transaction((sql) =>
    sql.query(`SELECT * FROM (${selects.join(" UNION ALL ")}) AS sums ORDER BY 1, 2, 3, 4, 5, 6`),
  );
}

let turn = 0;

describe("the sums by day and by month", () => {
  it("stay equal to the records to the last digit under concurrent writes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(transaction, { maxLength: 6 }), { maxLength: 4 }),
        async (writers) => {
          await Promise.all(
            writers.map(async (transactions, writer) => {
              for (const { writes, fails } of transactions) {
                turn += 1;
                const ordinal = turn;
                const done = database.transaction(async (sql) => {
                  for (const [index, step] of writes.entries())
                    await perform(sql, `writer ${writer}`, step, ordinal * 10 + index);
                  if (fails) throw new Error("rolled back");
                });
                if (fails) await expect(done).rejects.toThrow("rolled back");
                else await done;
              }
            }),
          );
          expect(await sumsOf("days")).toEqual(await sumsOf("records"));
        },
      ),
      { numRuns: 60, seed: 20261121 },
    );
    expect((await sumsOf("records")).length).toBeGreaterThan(0);
  }, 120_000);

  it("keep about one row per key when writers do not overlap", async () => {
    const [row] = await database.transaction((sql) =>
      sql.query<{ keys: number; rows: number }>(`
        SELECT count(*)::int AS rows, count(DISTINCT (organization_id, grain, recorded_on, part, subpart, scope))::int AS keys
        FROM emission_days`),
    );
    expect(row?.rows).toBeLessThan(2 * (row?.keys ?? 0) + 1);
  });

  it("are updated when an organization is removed", async () => {
    const slug = await makeOrganization(database, "Three");
    const { id } = await database.prisma.organization.findUniqueOrThrow({ where: { slug } });
    await database.transaction((sql) =>
      sql.query(
        `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes)
         SELECT $1::uuid, '2026-01-15', 'scope_1', n FROM generate_series(1, 10) AS n`,
        [id],
      ),
    );
    expect(await database.prisma.emissionDay.count({ where: { organizationId: id } })).toBe(7);
    await database.prisma.organization.delete({ where: { slug } });
    expect(await database.prisma.emissionDay.count({ where: { organizationId: id } })).toBe(0);
    expect(await verifyEmissionDays(database)).toEqual([]);
  });

  it("are checked by verify, which names those that were tampered with, and repairs them", async () => {
    const before = await sumsOf("records");
    // The UPDATE also changes rows that cancel each other out.
    const [{ keys }] = (await database.transaction((sql) =>
      sql.query(
        `SELECT count(DISTINCT (organization_id, grain, recorded_on, part, subpart, scope))::int AS keys FROM emission_days`,
      ),
    )) as [{ keys: number }];
    await database.transaction((sql) =>
      sql.query(
        "UPDATE emission_days SET co2e_tonnes = co2e_tonnes + 0.000001, record_count = record_count + 1",
      ),
    );
    const found = await verifyIntegrity(database, false);
    expect(keys).toBeGreaterThan(20);
    expect(found).toMatchObject({ differences: keys, repaired: false });
    expect(found.first).toHaveLength(20);
    const sum = {
      co2e_tonnes: expect.any(String),
      record_count: expect.any(Number),
      energy_kwh: expect.any(String),
      energy_record_count: expect.any(Number),
      biogenic_co2_tonnes: expect.any(String),
    };
    expect(found.first[0]).toEqual({
      organization: expect.any(String),
      grain: expect.any(String),
      recorded_on: expect.any(String),
      part: expect.any(String),
      subpart: expect.any(String),
      scope: expect.stringContaining("scope_"),
      kept: sum,
      recomputed: sum,
    });
    expect(describeVerification(found).split("\n")[0]).toBe(`${keys} sums differ from the emission records:`);

    expect(await repairEmissionDays(database)).toHaveLength(keys);
    expect(await sumsOf("days")).toEqual(before);
    for (const [column, fault] of [
      ["energy_kwh", "0.5 kWh of 0 records and 0 t of biogenic CO2"],
      ["energy_record_count", "0 kWh of 1 record and 0 t of biogenic CO2"],
      ["biogenic_co2_tonnes", "0 kWh of 0 records and 0.5 t of biogenic CO2"],
    ] as const) {
      const one = column === "energy_record_count" ? "1" : "0.5";
      const day = "WHERE id = (SELECT id FROM emission_days WHERE grain = 'day' LIMIT 1)";
      await database.transaction((sql) => sql.script(`UPDATE emission_days SET ${column} = ${one} ${day}`));
      expect(describeVerification(await verifyIntegrity(database, true))).toContain(
        `; stored ${fault}, recomputed 0 kWh of 0 records and 0 t of biogenic CO2`,
      );
    }
    expect(await sumsOf("days")).toEqual(before);
    expect(describeVerification(await verifyIntegrity(database, true))).toBe(
      "All sums match the emission records.",
    );
  });

  it("exclude a deleted record, and include it again when it is restored", async () => {
    const before = await sumsOf("days");
    const set = (value: string) =>
      database.transaction((sql) => sql.script(`UPDATE emission_records SET deleted_at = ${value}`));
    await set("now()");
    expect([await database.prisma.emissionDay.count(), await verifyEmissionDays(database)]).toEqual([0, []]);
    await set("NULL");
    expect(await sumsOf("days")).toEqual(before);
  });
});
