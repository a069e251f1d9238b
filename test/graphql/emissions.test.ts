import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addFacility, addRecord } from "../support/fixtures.js";
import { ORGANIZATION, runSql, selectColumn } from "../support/graph-fixtures.js";
import { type Gateway, NOW, startGateway } from "../support/server.js";
import { newTenant } from "./tenant.js";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.setNow(NOW));

interface Range {
  readonly from: string;
  readonly to: string;
}

/** Creates a tenant with two facilities, and records on and around every edge, in every scope, some with a category. */
async function newEmitter() {
  const tenant = await newTenant(gateway);
  for (const code of ["north", "south"]) await addFacility(gateway.database, tenant.slug, { code });
  await runSql(
    gateway.database,
    `INSERT INTO emission_records (organization_id, recorded_on, scope, category, facility_id, co2e_tonnes)
     SELECT ${ORGANIZATION}, date '2023-12-30' + n * 3, ('scope_' || 1 + n % 3)::emission_scope,
       (ARRAY['travel', 'heating', NULL, 'Reise, Bahn'])[1 + n % 4],
       (SELECT id FROM facilities WHERE organization_id = ${ORGANIZATION} AND code = (ARRAY['north', 'south', NULL])[1 + n / 3 % 3]),
       (n * n % 997) + 0.000001 * n
     FROM generate_series(0, 360) AS n WHERE n NOT BETWEEN 60 AND 92`,
    tenant.slug,
  );
  for (const recordedOn of [
    "2024-02-29",
    "2024-02-29",
    "2024-03-01",
    "2024-12-31",
    "2025-01-01",
    "2026-02-28",
  ])
    await addRecord(gateway.database, tenant.slug, { recordedOn, co2eTonnes: "0.1", scope: "scope_2" });
  return tenant;
}

const RANGES: readonly Range[] = [
  { from: "2024-01-01", to: "2024-12-31" },
  { from: "2024-02-29", to: "2024-02-29" },
  { from: "2024-02-28", to: "2024-03-01" },
  { from: "2024-12-31", to: "2025-01-01" },
  { from: "2025-02-28", to: "2025-03-31" },
  // This range has a gap; the last range has no records at all.
  { from: "2024-05-17", to: "2024-11-30" },
  { from: "2016-12-31", to: "2026-12-30" },
  { from: "2020-01-01", to: "2020-12-31" },
];

/** The three sums of every amount. */
const AMOUNT = "co2eTonnes co2eTonnesExact recordCount";
const SUMS = "trim_scale(coalesce(sum(co2e_tonnes), 0))::text AS exact, count(co2e_tonnes)::int AS count";
interface SumRow {
  exact: string;
  count: number;
}
const amount = ({ exact, count }: SumRow) => ({
  co2eTonnes: Number(exact),
  co2eTonnesExact: exact,
  recordCount: count,
});

/** Sums a tenant's records in a range; $1 is the tenant, $2 and $3 the range. */
const sumsBySql = <Row extends SumRow>(slug: string, { from, to }: Range, select: string, rest: string) =>
  runSql<Row>(
    gateway.database,
    `SELECT ${select} ${SUMS} FROM emission_records AS r WHERE organization_id = ${ORGANIZATION}
     AND recorded_on >= $2::date AND recorded_on < $3::date + 1 ${rest}`,
    slug,
    from,
    to,
  );

const byScopeSql = async (slug: string, range: Range) => {
  const scopes = ["scope_1", "scope_2", "scope_3"];
  const sums = await Promise.all(scopes.map((scope) => sumsBySql(slug, range, "", `AND scope = '${scope}'`)));
  return sums.map(([row], index) => ({
    scope: `SCOPE_${index + 1}`,
    ...amount(row ?? { exact: "", count: -1 }),
  }));
};

describe("{ emissions(range) }", () => {
  it.each(RANGES)("equals SQL's sums, in total and by scope: $from to $to", async (range) => {
    const { slug, dataOf } = await newEmitter();
    const [total] = await sumsBySql<SumRow & { latest: string | null }>(
      slug,
      range,
      "max(recorded_on)::text AS latest,",
      "",
    );
    const data = await dataOf(
      `query ($range: DateRangeInput) { emissions(range: $range) {
        from to totalCo2eTonnes totalCo2eTonnesExact recordCount latestRecord byScope { scope ${AMOUNT} }
      } }`,
      { range },
    );
    expect(data.emissions).toEqual({
      ...range,
      totalCo2eTonnes: Number(total?.exact),
      totalCo2eTonnesExact: total?.exact,
      recordCount: total?.count,
      latestRecord: total?.latest,
      byScope: await byScopeSql(slug, range),
    });
  });

  it.each([
    ["2026-11-20T10:00:00.000Z", "2025-11-21", "2026-11-20"],
    ["2024-02-29T23:59:59.999Z", "2023-03-01", "2024-02-29"],
    ["2025-02-28T00:00:00.000Z", "2024-02-29", "2025-02-28"],
    ["2024-03-31T12:00:00.000Z", "2023-04-01", "2024-03-31"],
  ])("covers the last 12 months by default: %s", async (now, from, to) => {
    const { slug, dataOf } = await newTenant(gateway);
    gateway.setNow(new Date(now));
    const before = new Date(Date.parse(from) - 86_400_000).toISOString().slice(0, 10);
    const after = new Date(Date.parse(to) + 86_400_000).toISOString().slice(0, 10);
    for (const [recordedOn, co2eTonnes] of [
      [before, 1],
      [from, 10],
      [to, 100],
      [after, 1_000],
    ] as const)
      await addRecord(gateway.database, slug, { recordedOn, co2eTonnes });
    for (const argument of ["", "(range: null)"]) {
      const data = await dataOf(`{ emissions${argument} { from to totalCo2eTonnes latestRecord } }`);
      expect(data.emissions).toEqual({ from, to, totalCo2eTonnes: 110, latestRecord: to });
    }
  });

  it("is exact: 0.1 + 0.2 is 0.3, and amounts keep 18 digits before the point", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    const add = (co2eTonnes: string, scope: "scope_1" | "scope_2" | "scope_3") =>
      addRecord(gateway.database, slug, { co2eTonnes, scope });
    await add("0.1", "scope_1");
    await add("0.2", "scope_1");
    await add("123456789012345678.123456", "scope_2");
    await add("876543210987654321.876544", "scope_2");
    await add("5.500000", "scope_3");

    const data = await dataOf(`{ emissions {
      totalCo2eTonnesExact totalCo2eTonnes byScope { co2eTonnes co2eTonnesExact }
      change { co2eTonnesExact previousCo2eTonnes }
      byCategory { co2eTonnesExact } trend { co2eTonnesExact }
      records(filter: { scopes: [SCOPE_2] }) { nodes { co2eTonnes co2eTonnesExact } }
    } }`);
    const { records, trend, ...rest } = data.emissions;
    expect(rest).toEqual({
      totalCo2eTonnesExact: "1000000000000000005.8",
      totalCo2eTonnes: 1e18,
      byScope: [
        { co2eTonnes: 0.3, co2eTonnesExact: "0.3" },
        { co2eTonnes: 1_000_000_000_000_000_000, co2eTonnesExact: "1000000000000000000" },
        { co2eTonnes: 5.5, co2eTonnesExact: "5.5" },
      ],
      change: { co2eTonnesExact: "1000000000000000005.8", previousCo2eTonnes: 0 },
      byCategory: [{ co2eTonnesExact: "1000000000000000005.8" }],
    });
    expect(trend.at(-1)).toEqual({ co2eTonnesExact: "1000000000000000005.8" });
    expect(records.nodes.map((node: { co2eTonnesExact: string }) => node.co2eTonnesExact).sort()).toEqual([
      "123456789012345678.123456",
      "876543210987654321.876544",
    ]);
  });
});

describe("{ emissions { trend } }", () => {
  const QUERY = `query ($range: DateRangeInput, $step: TrendStep!) { emissions(range: $range) {
    trend(step: $step) { from to ${AMOUNT} byScope { scope ${AMOUNT} } }
  } }`;

  it.each(RANGES.flatMap((range) => ["MONTH", "QUARTER"].map((step) => ({ ...range, step }))))(
    "has every step, each with SQL's sums: $from to $to by $step",
    async ({ step, ...range }) => {
      const { slug, dataOf } = await newEmitter();
      const length = step === "MONTH" ? "1 month" : "3 months";
      const steps = await runSql<SumRow & Range>(
        gateway.database,
        `SELECT greatest(start::date, $2::date)::text AS from, least((start + $4::interval)::date - 1, $3::date)::text AS to, ${SUMS}
         FROM generate_series(date_trunc($5, $2::timestamp), $3::timestamp, $4::interval) AS start
         LEFT JOIN emission_records ON organization_id = ${ORGANIZATION}
           AND recorded_on BETWEEN greatest(start::date, $2::date) AND least((start + $4::interval)::date - 1, $3::date)
         GROUP BY start ORDER BY start`,
        slug,
        range.from,
        range.to,
        length,
        step.toLowerCase(),
      );
      const { trend } = (await dataOf(QUERY, { range, step })).emissions;
      expect(trend.map(({ byScope: _byScope, ...amounts }: { byScope: unknown }) => amounts)).toEqual(
        steps.map(({ from, to, ...sums }) => ({ from, to, ...amount(sums) })),
      );

      for (const [index, part] of [...trend.entries()].filter(([at]) => at % 7 === 0))
        expect([index, part.byScope]).toEqual([index, await byScopeSql(slug, part)]);
    },
  );

  it("of the last 12 months has 13 monthly steps by default, the first and last partial", async () => {
    const { dataOf } = await newTenant(gateway);
    const { trend, months } = (
      await dataOf("{ emissions { trend { from to } months: trend(step: MONTH) { from to } } }")
    ).emissions;
    expect(trend).toEqual(months);
    expect(trend).toHaveLength(13);
    expect([trend[0], trend[3], trend[12]]).toEqual([
      { from: "2025-11-21", to: "2025-11-30" },
      { from: "2026-02-01", to: "2026-02-28" },
      { from: "2026-11-01", to: "2026-11-20" },
    ]);
  });
});

describe("{ emissions { change } }", () => {
  const CHANGE = "change { previousFrom previousTo previousCo2eTonnes co2eTonnes co2eTonnesExact percent }";
  const NO_RANGE = undefined;

  it.each([
    ["the last 12 months", NOW, NO_RANGE, "2025-11-21", "2026-11-20", "2024-11-21", "2025-11-20"],
    [
      "12 months up to a leap day",
      new Date("2024-02-29T09:00:00Z"),
      NO_RANGE,
      "2023-03-01",
      "2024-02-29",
      "2022-03-01",
      "2023-02-28",
    ],
    [
      "12 months from a leap day",
      new Date("2025-02-28T09:00:00Z"),
      NO_RANGE,
      "2024-02-29",
      "2025-02-28",
      "2023-03-01",
      "2024-02-28",
    ],
    [
      "February after January",
      NOW,
      { from: "2026-02-01", to: "2026-02-28" },
      "2026-02-01",
      "2026-02-28",
      "2026-01-01",
      "2026-01-31",
    ],
    [
      "March after a leap year's February",
      NOW,
      { from: "2024-03-01", to: "2024-03-31" },
      "2024-03-01",
      "2024-03-31",
      "2024-02-01",
      "2024-02-29",
    ],
    [
      "a quarter",
      NOW,
      { from: "2026-04-01", to: "2026-06-30" },
      "2026-04-01",
      "2026-06-30",
      "2026-01-01",
      "2026-03-31",
    ],
    [
      "10 days",
      NOW,
      { from: "2026-03-05", to: "2026-03-14" },
      "2026-03-05",
      "2026-03-14",
      "2026-02-23",
      "2026-03-04",
    ],
  ])(
    "compares %s with the period before, to the day",
    async (_what, now, range, from, to, previousFrom, previousTo) => {
      const { slug, dataOf } = await newTenant(gateway);
      gateway.setNow(now);
      const dayNextTo = (date: string, days: number) =>
        new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
      for (const [recordedOn, co2eTonnes] of [
        [dayNextTo(previousFrom, -1), "10000"],
        [previousFrom, "3"],
        [previousTo, "5"],
        [from, "2"],
        [to, "0.3"],
        [dayNextTo(to, 1), "20000"],
      ] as const)
        await addRecord(gateway.database, slug, { recordedOn, co2eTonnes });

      const data = await dataOf(`query ($range: DateRangeInput) { emissions(range: $range) { ${CHANGE} } }`, {
        range,
      });
      expect(data.emissions.change).toEqual({
        previousFrom,
        previousTo,
        previousCo2eTonnes: 8,
        co2eTonnes: -5.7,
        co2eTonnesExact: "-5.7",
        percent: -71.25,
      });
    },
  );

  it.each([
    ["nothing before", [], ["12.5"], 0, 12.5, "12.5", null],
    ["nothing at all", [], [], 0, 0, "0", null],
    ["a zero before", ["0"], ["1"], 0, 1, "1", null],
    ["nothing now", ["80"], [], 80, -80, "-80", -100],
    ["the same", ["0.1", "0.2"], ["0.3"], 0.3, 0, "0", 0],
    ["more", ["80"], ["100"], 80, 20, "20", 25],
    ["a third more", ["3"], ["4"], 3, 1, "1", 33.333333],
    ["a sixth less", ["6"], ["5"], 6, -1, "-1", -16.666667],
    [
      "a difference finer than a float",
      ["123456789012345678"],
      ["123456789012345678.000001"],
      Number("123456789012345678"),
      0.000001,
      "0.000001",
      0,
    ],
  ] as const)(
    "is correct if there is %s",
    async (_what, before, now, previousCo2eTonnes, co2eTonnes, co2eTonnesExact, percent) => {
      const { slug, dataOf } = await newTenant(gateway);
      for (const amount of before)
        await addRecord(gateway.database, slug, { recordedOn: "2025-11-20", co2eTonnes: amount });
      for (const amount of now)
        await addRecord(gateway.database, slug, { recordedOn: "2025-11-21", co2eTonnes: amount });
      const data = await dataOf(`{ emissions { ${CHANGE} } }`);
      expect(data.emissions.change).toEqual({
        previousFrom: "2024-11-21",
        previousTo: "2025-11-20",
        previousCo2eTonnes,
        co2eTonnes,
        co2eTonnesExact,
        percent,
      });
    },
  );
});

describe("{ emissions { change { contributions } } }", () => {
  it("are the largest changes, each with its share of all changes in its direction", async () => {
    const tenant = await newTenant(gateway);
    const amounts = { travel: [10, 4], heating: [1, 3], cooling: [5, 5], waste: [0, 7], rail: [2, 0] };
    for (const [category, tonnes] of Object.entries(amounts)) {
      for (const [index, co2eTonnes] of tonnes.entries()) {
        const recordedOn = `${2024 + index}-05-10`;
        if (co2eTonnes > 0)
          await addRecord(gateway.database, tenant.slug, { recordedOn, category, co2eTonnes });
      }
    }
    const { emissions } = await tenant.dataOf(`{ emissions(range: { from: "2025-01-01", to: "2025-12-31" }) {
      change { contributions(by: CATEGORY, first: 3) { series { category } co2eTonnesExact sharePercent } } } }`);
    expect(emissions.change.contributions).toEqual([
      { series: { category: "waste" }, co2eTonnesExact: "7", sharePercent: 77.78 },
      { series: { category: "travel" }, co2eTonnesExact: "-6", sharePercent: 75 },
      { series: { category: "heating" }, co2eTonnesExact: "2", sharePercent: 22.22 },
    ]);
  });

  it("compare a range with the same days a year ago, by facility and category", async () => {
    const tenant = await newTenant(gateway);
    const facility = await addFacility(gateway.database, tenant.slug, { code: "PUNE", name: "Pune mill" });
    const records = [
      ["2025-01-15", 10, facility, "heating"],
      ["2026-01-15", 4, facility, "heating"],
      ["2025-02-20", 3, facility, "Reise: Bahn"],
      ["2026-02-20", 5, facility, "Reise: Bahn"],
      ["2026-02-20", 8, undefined, undefined],
      // Neither in the range nor in the same days of the year before.
      ["2025-02-21", 100, facility, "heating"],
      ["2025-12-31", 100, facility, "heating"],
    ] as const;
    for (const [recordedOn, co2eTonnes, of, category] of records) {
      await addRecord(gateway.database, tenant.slug, {
        recordedOn,
        co2eTonnes,
        ...(of && { facility: of }),
        ...(category && { category }),
      });
    }
    const { emissions } = await tenant.dataOf(`{ emissions(range: { from: "2026-01-01", to: "2026-02-20" }) {
      change(from: YEAR_BEFORE) {
        previousFrom previousTo co2eTonnes percent
        contributions(by: FACILITY_AND_CATEGORY) { series { facility category } facility { name } co2eTonnes percent } } } }`);
    expect(emissions.change).toEqual({
      previousFrom: "2025-01-01",
      previousTo: "2025-02-20",
      co2eTonnes: 4,
      percent: 30.769231,
      contributions: [
        { series: { facility: null, category: null }, facility: null, co2eTonnes: 8, percent: null },
        {
          series: { facility: "PUNE", category: "heating" },
          facility: { name: "Pune mill" },
          co2eTonnes: -6,
          percent: -60,
        },
        {
          series: { facility: "PUNE", category: "Reise: Bahn" },
          facility: { name: "Pune mill" },
          co2eTonnes: 2,
          percent: 66.666667,
        },
      ],
    });
  });

  it("cost one point per 100 parts", async () => {
    const tenant = await newTenant(gateway, { tier: "free" });
    await runSql(
      gateway.database,
      `INSERT INTO emission_days (organization_id, grain, recorded_on, part, scope, co2e_tonnes, record_count)
       SELECT ${ORGANIZATION}, 'month_category', '2026-05-01', 'category ' || n, 'scope_1', n, 1
       FROM generate_series(1, 10001) AS n`,
      tenant.slug,
    );
    const lists = Array.from({ length: 24 }, (_, n) => `a${n}: records(first: 100) { nodes { id } }`).join(
      " ",
    );
    const contributions = "change { contributions(by: CATEGORY, first: 1) { co2eTonnes } }";
    await tenant.dataOf(`{ emissions { ${lists} } }`);
    await tenant.dataOf(`{ emissions { ${contributions} } }`);
    const { body } = await tenant.ask(`{ emissions { ${lists} ${contributions} } }`);
    expect(body.errors).toMatchObject([
      {
        path: ["emissions", "change", "contributions"],
        extensions: { code: "BAD_USER_INPUT", measure: "cost", limit: 2_500 },
      },
    ]);
  });
});

describe("emissions by facility and by category", () => {
  it.each(RANGES)("equal SQL's, largest first: $from to $to", async (range) => {
    const { slug, dataOf } = await newEmitter();
    const facilities = await sumsBySql<SumRow & { code: string | null }>(
      slug,
      range,
      "(SELECT code FROM facilities WHERE id = facility_id) AS code,",
      "GROUP BY facility_id ORDER BY sum(co2e_tonnes) DESC",
    );
    const categories = await sumsBySql<SumRow & { category: string | null }>(
      slug,
      range,
      "category,",
      "GROUP BY category ORDER BY sum(co2e_tonnes) DESC",
    );
    const data = await dataOf(
      `query ($range: DateRangeInput) { emissions(range: $range) {
        byFacility { facility { code } ${AMOUNT} } first: byFacility(first: 1) { ${AMOUNT} }
        byCategory { category ${AMOUNT} } one: byCategory(first: 1) { category }
        facilities { nodes { facility { code } ${AMOUNT} } }
      } }`,
      { range },
    );
    const { byFacility, byCategory, ...rest } = data.emissions;
    expect(byFacility).toEqual(
      facilities.map(({ code, ...sums }) => ({ facility: code === null ? null : { code }, ...amount(sums) })),
    );
    expect(byCategory).toEqual(categories.map(({ category, ...sums }) => ({ category, ...amount(sums) })));
    const sumOf = (code: string) =>
      amount(facilities.find((facility) => facility.code === code) ?? { exact: "0", count: 0 });
    expect(rest).toEqual({
      first: facilities.slice(0, 1).map(amount),
      one: categories.slice(0, 1).map(({ category }) => ({ category })),
      facilities: { nodes: ["north", "south"].map((code) => ({ facility: { code }, ...sumOf(code) })) },
    });
  });

  it("include a facility without a known country", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    const facility = await addFacility(gateway.database, slug, { code: "afloat", country: null });
    await addRecord(gateway.database, slug, { facility });
    expect(await dataOf("{ emissions { byFacility { facility { code country } } } }")).toEqual({
      emissions: { byFacility: [{ facility: { code: "afloat", country: null } }] },
    });
  });

  it("break each facility down by scope", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    const north = await addFacility(gateway.database, slug, {
      code: "north",
      name: "North works",
      country: "IN",
    });
    await addFacility(gateway.database, slug, { code: "south" });
    await addRecord(gateway.database, slug, { facility: north, co2eTonnes: "1.5" });
    await addRecord(gateway.database, slug, { facility: north, co2eTonnes: "2", scope: "scope_3" });
    await addRecord(gateway.database, slug, { co2eTonnes: "7" });
    const scopes = "byScope { scope co2eTonnes recordCount }";
    const data = await dataOf(`{ emissions {
      byFacility { facility { id code name country } ${scopes} } facilities { nodes { facility { code } ${scopes} } }
    } }`);
    const of = (...amounts: [number, number][]) =>
      amounts.map(([co2eTonnes, recordCount], index) => ({
        scope: `SCOPE_${index + 1}`,
        co2eTonnes,
        recordCount,
      }));
    expect(data.emissions).toEqual({
      byFacility: [
        { facility: null, byScope: of([7, 1], [0, 0], [0, 0]) },
        {
          facility: { id: north.id, code: "north", name: "North works", country: "IN" },
          byScope: of([1.5, 1], [0, 0], [2, 1]),
        },
      ],
      facilities: {
        nodes: [
          { facility: { code: "north" }, byScope: of([1.5, 1], [0, 0], [2, 1]) },
          { facility: { code: "south" }, byScope: of([0, 0], [0, 0], [0, 0]) },
        ],
      },
    });
  });
});

describe("{ emissions { records } }", () => {
  it.each([
    ["one scope", "scopes: [SCOPE_2]", "scope = 'scope_2'"],
    ["two scopes", "scopes: [SCOPE_3, SCOPE_1, SCOPE_3]", "scope <> 'scope_2'"],
    ["a facility", "facilityIds: [NORTH]", "facility_id = NORTH"],
    ["two facilities", "facilityIds: [SOUTH, NORTH]", "facility_id IS NOT NULL"],
    ["a category with a comma", 'categories: ["Reise, Bahn"]', "category = 'Reise, Bahn'"],
    [
      "two categories, of which one does not occur",
      'categories: ["travel", "Travel", "{}", "NULL"]',
      "category = 'travel'",
    ],
    [
      "all of these together",
      'scopes: [SCOPE_1], facilityIds: [SOUTH], categories: ["heating", "travel"]',
      "scope = 'scope_1' AND facility_id = SOUTH AND category IN ('heating', 'travel')",
    ],
    ["nothing, if the lists are empty", "scopes: [], facilityIds: [], categories: null", "true"],
  ])("filters by %s", async (_what, filter, condition) => {
    const { slug, dataOf } = await newEmitter();
    const [north, south] = await selectColumn(
      gateway.database,
      `SELECT id::text FROM facilities WHERE organization_id = ${ORGANIZATION} ORDER BY code`,
      slug,
    );
    const withIds = (text: string, mark: string) =>
      text.replace("NORTH", `${mark}${north}${mark}`).replace("SOUTH", `${mark}${south}${mark}`);
    const range = { from: "2024-01-01", to: "2024-12-31" };
    const all = `FROM emission_records WHERE organization_id = ${ORGANIZATION} AND extract(year FROM recorded_on) = 2024 AND ${withIds(condition, "'")}`;
    const ids = await selectColumn(
      gateway.database,
      `SELECT id::text ${all} ORDER BY recorded_on DESC, id DESC LIMIT 100`,
      slug,
    );
    const [count] = await selectColumn(gateway.database, `SELECT count(*) ${all}`, slug);
    expect(ids.length).toBeGreaterThan(0);

    const data = await dataOf(
      `query ($range: DateRangeInput) { emissions(range: $range) {
        records(first: 100, filter: { ${withIds(filter, '"')} }) { nodes { id } totalCount }
      } }`,
      { range },
    );
    expect(data.emissions.records).toEqual({ nodes: ids.map((id) => ({ id })), totalCount: Number(count) });
  });

  it("returns every field as recorded", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    const facility = await addFacility(gateway.database, slug, {
      code: "north",
      name: "North works",
      country: "IN",
    });
    const full = await addRecord(gateway.database, slug, {
      facility,
      recordedOn: "2026-02-28",
      scope: "scope_3",
      co2eTonnes: "12.500001",
      reference: "INV-1",
      category: "business_travel",
      source: "Travel agency",
    });
    const bare = await addRecord(gateway.database, slug, { recordedOn: "2025-12-31", co2eTonnes: 0 });
    const data = await dataOf(`{ emissions { records { nodes {
      id reference recordedOn scope co2eTonnes co2eTonnesExact facility { id code name country } category source
    } } } }`);
    expect(data.emissions.records.nodes).toEqual([
      {
        id: full.id,
        reference: "INV-1",
        recordedOn: "2026-02-28",
        scope: "SCOPE_3",
        co2eTonnes: 12.500001,
        co2eTonnesExact: "12.500001",
        facility: { id: facility.id, code: "north", name: "North works", country: "IN" },
        category: "business_travel",
        source: "Travel agency",
      },
      {
        id: bare.id,
        reference: null,
        recordedOn: "2025-12-31",
        scope: "SCOPE_1",
        co2eTonnes: 0,
        co2eTonnesExact: "0",
        facility: null,
        category: null,
        source: null,
      },
    ]);
  });

  it("accepts 100 values", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    await addRecord(gateway.database, slug, { category: "category 99" });
    await addRecord(gateway.database, slug, { category: "category 100" });
    const query =
      "query ($c: [String!]) { emissions { records(filter: { categories: $c }) { totalCount } } }";
    const data = await dataOf(query, { c: Array.from({ length: 100 }, (_, index) => `category ${index}`) });
    expect(data.emissions.records.totalCount).toBe(1);
  });
});

describe("the bounds of a range and its arguments", () => {
  it.each([
    ["exactly 100 years", "1926-11-21", "2026-11-20", 1_201],
    ["the first possible days", "1000-01-01", "1000-01-31", 1],
    ["the last possible days", "2999-12-01", "2999-12-31", 1],
  ])("admit %s", async (_what, from, to, months) => {
    const { dataOf } = await newTenant(gateway);
    const { emissions } = await dataOf(
      "query ($range: DateRangeInput) { emissions(range: $range) { trend { from } change { percent } } }",
      { range: { from, to } },
    );
    expect(emissions.trend).toHaveLength(months);
    expect(emissions.change).toEqual({ percent: null });
  });

  it.each([
    ["a day that does not exist", '(range: { from: "2026-02-30", to: "2026-03-01" }) { recordCount }'],
    ["a point in time", '(range: { from: "2026-02-01T00:00:00Z", to: "2026-03-01" }) { recordCount }'],
    ["a number", "(range: { from: 20260201, to: 20260301 }) { recordCount }"],
    ["no end", '(range: { from: "2026-02-01" }) { recordCount }'],
    ["a scope that does not exist", "{ records(filter: { scopes: [SCOPE_4] }) { totalCount } }"],
    ["a scope in quotation marks", '{ records(filter: { scopes: ["SCOPE_1"] }) { totalCount } }'],
    ["an order that does not exist", "{ records(order: RANDOM) { totalCount } }"],
    ["a step that does not exist", "{ trend(step: WEEK) { from } }"],
    ["an id that is not a UUID", '{ records(filter: { facilityIds: ["north"] }) { totalCount } }'],
    ["a filter that does not exist", "{ records(filter: { scope: SCOPE_1 }) { totalCount } }"],
  ])("refuse, before anything is resolved: %s", async (_what, field) => {
    const { ask } = await newTenant(gateway);
    const { status, body } = await ask(`{ emissions${field} }`);
    expect([status, body.data]).toEqual([400, undefined]);
    expect(new Set(body.errors?.map(({ extensions }) => extensions.code))).toEqual(
      new Set(["GRAPHQL_VALIDATION_FAILED"]),
    );
  });
});
