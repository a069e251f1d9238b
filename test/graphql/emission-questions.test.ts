import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addFacility } from "../support/fixtures.js";
import { argumentError, ORGANIZATION, runSql } from "../support/graph-fixtures.js";
import { type Gateway, startGateway } from "../support/server.js";
import { newTenant } from "./tenant.js";

const SCOPES = ["scope_1", "scope_2", "scope_3"] as const;
const COUNTRIES: Readonly<Record<string, string>> = { north: "DE", south: "IN", east: "IN", idle: "SG" };

interface Emission {
  readonly day: string;
  readonly scope: (typeof SCOPES)[number];
  /** Millionths of a tonne. */
  readonly amount: bigint;
  readonly facility: string | null;
  readonly category: string | null;
}

interface Range {
  readonly from: string;
  readonly to: string;
}

/** Days at or near the ends of months and years, over four decades. */
const day = fc
  .tuple(
    fc.constantFrom(1985, 1999, 2000, 2023, 2024, 2025),
    fc.constantFrom("01-01", "01-31", "02-01", "02-28", "03-01", "06-15", "06-30", "07-01", "11-30", "12-31"),
  )
  .map(([year, rest]) => `${year}-${rest}`);

const emission = fc.record<Emission>({
  day: fc.oneof({ weight: 9, arbitrary: day }, fc.constantFrom("2024-02-29", "2000-02-29")),
  scope: fc.constantFrom(...SCOPES),
  amount: fc.oneof(fc.bigInt(0n, 2_000_000n), fc.bigInt(0n, 10n ** 15n)),
  facility: fc.constantFrom("north", "south", "east", null),
  category: fc.constantFrom("travel", "heating", "Reise, Bahn", null),
});

let gateway: Gateway;
let tenant: Awaited<ReturnType<typeof newTenant>>;
let emissions: readonly Emission[];

beforeAll(async () => {
  gateway = await startGateway();
  // The other tenant has the same facility codes and categories.
  for (const seed of [1, 2]) {
    tenant = await newTenant(gateway);
    const { slug } = tenant;
    for (const [code, country] of Object.entries(COUNTRIES))
      await addFacility(gateway.database, slug, { code, country });
    emissions = fc.sample(emission, { seed, numRuns: 500 });
    const column = (read: (one: Emission) => unknown) => emissions.map(read);
    await runSql(
      gateway.database,
      `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes, facility_id, category)
       SELECT ${ORGANIZATION}, day::date, scope::emission_scope, amount::numeric / 1000000,
         (SELECT id FROM facilities WHERE organization_id = ${ORGANIZATION} AND code = facility), category
       FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS e (day, scope, amount, facility, category)`,
      slug,
      column((one) => one.day),
      column((one) => one.scope),
      column((one) => String(one.amount)),
      column((one) => one.facility),
      column((one) => one.category),
    );
  }
});
afterAll(() => gateway.stop());

const exact = (amount: bigint) => {
  const digits = String(amount < 0n ? -amount : amount).padStart(7, "0");
  const text = `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, "");
  return amount < 0n ? `-${text}` : text;
};
const sum = (list: readonly Emission[]) => list.reduce((total, { amount }) => total + amount, 0n);
const amountOf = (list: readonly Emission[]) => ({
  co2eTonnesExact: exact(sum(list)),
  recordCount: list.length,
});
const scopesOf = (list: readonly Emission[]) =>
  SCOPES.map((scope) => ({ ...amountOf(list.filter((one) => one.scope === scope)) }));
const within =
  ({ from, to }: Range) =>
  (one: Emission) =>
    one.day >= from && one.day <= to;

/** Computes a trend independently: sums of every month of the range, or of its quarters or years. */
function trendOf(list: readonly Emission[], { from, to }: Range, months: 1 | 3 | 12) {
  const stepOf = (day: string) =>
    Math.floor((12 * Number(day.slice(0, 4)) + Number(day.slice(5, 7)) - 1) / months);
  return Array.from({ length: stepOf(to) - stepOf(from) + 1 }, (_, index) =>
    amountOf(list.filter((one) => stepOf(one.day) === stepOf(from) + index)),
  );
}

function groupsOf<Name extends string | null>(list: readonly Emission[], nameOf: (one: Emission) => Name) {
  const groups = new Map<Name, Emission[]>();
  for (const one of list) groups.set(nameOf(one), [...(groups.get(nameOf(one)) ?? []), one]);
  return [...groups].toSorted(([, a], [, b]) => (sum(a) < sum(b) ? 1 : -1));
}

const countryOf = ({ facility }: Emission) => (facility === null ? null : (COUNTRIES[facility] ?? null));

const RANGES: readonly (Range & { before: Range })[] = [
  { from: "2024-01-01", to: "2024-12-31", before: { from: "2023-01-01", to: "2023-12-31" } },
  { from: "2024-02-01", to: "2024-02-29", before: { from: "2024-01-01", to: "2024-01-31" } },
  { from: "2024-02-29", to: "2024-02-29", before: { from: "2024-02-28", to: "2024-02-28" } },
  { from: "2024-01-31", to: "2025-01-01", before: { from: "2023-02-28", to: "2024-01-30" } },
  { from: "2023-12-31", to: "2025-06-15", before: { from: "2022-07-15", to: "2023-12-30" } },
  { from: "2024-06-16", to: "2024-06-29", before: { from: "2024-06-02", to: "2024-06-15" } },
  { from: "1980-01-02", to: "2026-12-30", before: { from: "1933-01-04", to: "1980-01-01" } },
];

interface Case {
  readonly filter: Record<string, readonly string[]>;
  readonly keeps: (one: Emission) => boolean;
}

const FILTERS: readonly Case[] = [
  { filter: {}, keeps: () => true },
  { filter: { scopes: ["SCOPE_3", "SCOPE_1"] }, keeps: ({ scope }) => scope !== "scope_2" },
  { filter: { facilityCodes: ["south"] }, keeps: ({ facility }) => facility === "south" },
  { filter: { facilityCodes: ["idle"] }, keeps: () => false },
  { filter: { countries: ["IN", "FR"] }, keeps: (one) => countryOf(one) === "IN" },
  { filter: { countries: ["FR"] }, keeps: () => false },
  { filter: { categories: ["Reise, Bahn", "unknown"] }, keeps: ({ category }) => category === "Reise, Bahn" },
  {
    filter: { facilityCodes: ["north", "east"], categories: ["travel"], scopes: ["SCOPE_2"] },
    keeps: ({ facility, category, scope }) =>
      (facility === "north" || facility === "east") && category === "travel" && scope === "scope_2",
  },
  {
    filter: { countries: ["DE"], facilityCodes: ["north", "south"], categories: ["heating", "travel"] },
    keeps: ({ facility, category }) =>
      facility === "north" && (category === "heating" || category === "travel"),
  },
];

const AMOUNT = "co2eTonnesExact recordCount";
const QUERY = `query ($range: DateRangeInput, $filter: EmissionRecordFilter) {
  emissions(range: $range, filter: $filter) {
    totalCo2eTonnesExact recordCount latestRecord byScope { ${AMOUNT} }
    change { co2eTonnesExact }
    trend { ${AMOUNT} }
    years: trend(step: YEAR) { ${AMOUNT} }
    byFacility { facility { code } ${AMOUNT} byScope { ${AMOUNT} } }
    byCategory { category ${AMOUNT} byScope { ${AMOUNT} } }
    byCountry { country ${AMOUNT} byScope { ${AMOUNT} } }
    records(first: 3, orderBy: CO2E_TONNES) { totalCount nodes { co2eTonnesExact } }
    facilities { totalCount nodes { facility { code } ${AMOUNT} } }
  }
}`;
const TRENDS = `query ($range: DateRangeInput, $filter: EmissionRecordFilter) {
  emissions(range: $range, filter: $filter) {
    byFacility { trend(step: QUARTER) { ${AMOUNT} } }
    byCategory { trend(step: YEAR) { ${AMOUNT} } }
    byCountry { trend(step: QUARTER) { ${AMOUNT} } }
    facilities { nodes { facility { code } trend(step: YEAR) { ${AMOUNT} } } }
  }
}`;

describe("filtered emissions", () => {
  const cases = RANGES.flatMap(({ before, ...range }) =>
    FILTERS.map(({ filter, keeps }) => ({ range, before, filter, keeps })),
  );
  it.each(cases)(
    "$range, $filter: equal the sum of the matching records",
    async ({ range, before, filter, keeps }) => {
      const all = emissions.filter(keeps);
      const list = all.filter(within(range));
      const previous = all.filter(within(before));
      const codes = Object.keys(COUNTRIES)
        .filter((code) => filter["facilityCodes"]?.includes(code) ?? true)
        .filter((code) => filter["countries"]?.includes(COUNTRIES[code] ?? "") ?? true)
        .toSorted();
      const ofFacility = (code: string) => list.filter(({ facility }) => facility === code);
      const parts = (nameOf: (one: Emission) => string | null, named: (name: string | null) => object) =>
        groupsOf(list, nameOf).map(([name, of]) => ({
          ...named(name),
          ...amountOf(of),
          byScope: scopesOf(of),
        }));

      const { emissions: answer } = await tenant.dataOf(QUERY, { range, filter });
      const { co2eTonnesExact: totalCo2eTonnesExact, recordCount } = amountOf(list);
      expect(answer).toEqual({
        totalCo2eTonnesExact,
        recordCount,
        byScope: scopesOf(list),
        latestRecord:
          list
            .map((one) => one.day)
            .toSorted()
            .at(-1) ?? null,
        change: { co2eTonnesExact: exact(sum(list) - sum(previous)) },
        trend: trendOf(list, range, 1),
        years: trendOf(list, range, 12),
        byFacility: parts(
          ({ facility }) => facility,
          (code) => ({ facility: code && { code } }),
        ),
        byCategory: parts(
          ({ category }) => category,
          (category) => ({ category }),
        ),
        byCountry: parts(countryOf, (country) => ({ country })),
        records: {
          totalCount: list.length,
          nodes: list
            .toSorted((a, b) => (a.amount < b.amount ? 1 : -1))
            .slice(0, 3)
            .map(({ amount }) => ({ co2eTonnesExact: exact(amount) })),
        },
        facilities: {
          totalCount: codes.length,
          nodes: codes.map((code) => ({ facility: { code }, ...amountOf(ofFacility(code)) })),
        },
      });

      const { emissions: trends } = await tenant.dataOf(TRENDS, { range, filter });
      const trendsOf = (nameOf: (one: Emission) => string | null, months: 1 | 3 | 12) =>
        groupsOf(list, nameOf).map(([, of]) => ({ trend: trendOf(of, range, months) }));
      expect(trends).toEqual({
        byFacility: trendsOf(({ facility }) => facility, 3),
        byCategory: trendsOf(({ category }) => category, 12),
        byCountry: trendsOf(countryOf, 3),
        facilities: {
          nodes: codes.map((code) => ({ facility: { code }, trend: trendOf(ofFacility(code), range, 12) })),
        },
      });
    },
  );

  it("can be restricted further by a filter of their records", async () => {
    const { emissions: answer } = await tenant.dataOf(
      `{ emissions(range: { from: "1980-01-01", to: "2026-12-31" }, filter: { countries: ["IN"], scopes: [SCOPE_1, SCOPE_2] }) {
        some: records(filter: { facilityCodes: ["south"], scopes: [SCOPE_2, SCOPE_3] }) { totalCount }
        none: records(filter: { scopes: [SCOPE_3] }) { totalCount nodes { id } }
      } }`,
    );
    const some = emissions.filter(({ facility, scope }) => facility === "south" && scope === "scope_2");
    expect(some.length).toBeGreaterThan(0);
    expect(answer).toEqual({ some: { totalCount: some.length }, none: { totalCount: 0, nodes: [] } });
  });
});

describe("a filter by a facility that the organization does not have", () => {
  const UNKNOWN: readonly (readonly [field: string, find: () => Promise<string>])[] = [
    ["facilityCodes", async () => "no-such"],
    ["facilityIds", async () => "11111111-1111-4111-8111-111111111111"],
    [
      "facilityIds",
      async () => {
        const other = await newTenant(gateway);
        return (await addFacility(gateway.database, other.slug, { code: "of-others" })).id;
      },
    ],
  ];
  it.each(UNKNOWN)("is refused the same, whether or not another tenant has it: %s", async (field, find) => {
    const value = await find();
    const { body } = await tenant.ask(
      "query ($filter: EmissionRecordFilter) { emissions(filter: $filter) { recordCount } }",
      { filter: { [field]: [value] } },
    );
    const argument = `filter.${field}`;
    expect(body).toEqual({
      data: { emissions: null },
      errors: [
        argumentError(
          argument,
          ["emissions"],
          `${argument}: expected the ${argument.endsWith("Ids") ? "id" : "code"} of a facility, got ${JSON.stringify(value)}`,
        ),
      ],
    });
  });
});

describe("one facility", () => {
  const QUERY =
    "query ($id: UUID, $code: String) { emissions { facility(id: $id, code: $code) { id code country } } }";

  it("is found by its code and by its id, in either case", async () => {
    const { facility } = (await tenant.dataOf(QUERY, { code: "south" })).emissions;
    expect(facility).toEqual({ id: expect.any(String), code: "south", country: "IN" });
    expect(await tenant.dataOf(QUERY, { id: facility.id.toUpperCase() })).toEqual({
      emissions: { facility },
    });
  });

  it("is null if the organization does not have it, even if another one does", async () => {
    const other = await newTenant(gateway);
    const { id } = await addFacility(gateway.database, other.slug, { code: "of-others" });
    expect(await tenant.dataOf(QUERY, { code: "of-others" })).toEqual({ emissions: { facility: null } });
    expect(await tenant.dataOf(QUERY, { id })).toEqual({ emissions: { facility: null } });
  });

  it.each([
    ["neither id nor code", {}, "expected either id or code, got neither"],
    [
      "both id and code",
      { id: "11111111-1111-4111-8111-111111111111", code: "south" },
      "expected either id or code, got both",
    ],
    ["a code with NUL", { code: "a\0" }, "expected text without NUL characters, got text with one"],
  ])("cannot be requested by %s", async (_what, variables, message) => {
    const { body } = await tenant.ask(QUERY, variables);
    expect(body).toEqual({
      data: { emissions: { facility: null } },
      errors: [argumentError("code", ["emissions", "facility"], `code: ${message}`)],
    });
  });
});

describe("records by amount", () => {
  const RANGE = '(range: { from: "1980-01-01", to: "2026-12-31" })';
  const PAGE = `query ($order: OrderDirection!, $after: String) { emissions${RANGE} {
    records(orderBy: CO2E_TONNES, order: $order, first: 90, after: $after) {
      nodes { id co2eTonnesExact } pageInfo { hasNextPage endCursor } } } }`;

  it.each(["ASC", "DESC"])("appear exactly once over all pages: %s", async (order) => {
    const found: { id: string; co2eTonnesExact: string }[] = [];
    for (let after: string | null | undefined = null; after !== undefined; ) {
      // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape of its response
      const data: Record<string, any> = await tenant.dataOf(PAGE, { order, after });
      const { nodes, pageInfo } = data["emissions"].records;
      found.push(...nodes);
      after = pageInfo.hasNextPage ? pageInfo.endCursor : undefined;
    }
    const sign = order === "ASC" ? 1 : -1;
    const amounts = emissions
      .map(({ amount }) => amount)
      .toSorted((a, b) => (a < b ? -sign : a > b ? sign : 0));
    expect(found.map(({ co2eTonnesExact }) => co2eTonnesExact)).toEqual(amounts.map(exact));
    expect(new Set(found.map(({ id }) => id)).size).toBe(emissions.length);
  });

  it("are refused if there are too many to sort, unless a filter leaves fewer", async () => {
    const crowded = await newTenant(gateway);
    await gateway.database.transaction(async ({ query, script }) => {
      await script("SET LOCAL statement_timeout = 0");
      // In parts, because a statement may take only some seconds.
      for (let last = 20_000; last < 120_000; last += 20_000) {
        await query(
          `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes)
           SELECT ${ORGANIZATION}, '2026-11-01', CASE WHEN n = 1 THEN 'scope_1' ELSE 'scope_2' END::emission_scope, n
           FROM generate_series($2::int, $3::int) AS n`,
          [crowded.slug, last - 19_999, last === 100_000 ? 100_001 : last],
        );
      }
    });
    const records = "records(orderBy: CO2E_TONNES, first: 1) { nodes { co2eTonnes } }";
    const { body } = await crowded.ask(`{ emissions { ${records} } }`);
    expect(body.errors).toEqual([
      argumentError(
        "orderBy",
        ["emissions", "records"],
        "orderBy: expected at most 100000 records to sort by amount, got 100001. Use a shorter range or a narrower filter.",
      ),
    ]);
    expect(await crowded.dataOf(`{ emissions(filter: { scopes: [SCOPE_1] }) { ${records} } }`)).toEqual({
      emissions: { records: { nodes: [{ co2eTonnes: 1 }] } },
    });
  }, 120_000);
});
