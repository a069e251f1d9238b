import { beforeEach, describe, expect, it } from "vitest";
import { newTenant } from "../graphql/tenant.js";
import { addFacility, addMetric, addRecord } from "../support/fixtures.js";
import { type Envelope, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

/** The 12 months from November 2025 to October 2026. */
const MONTHS = Array.from({ length: 12 }, (_, n) =>
  new Date(Date.UTC(2025, 10 + n)).toISOString().slice(0, 7),
);
const endOf = (month: string) =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10);

type Tenant = Awaited<ReturnType<typeof newTenant>>;

async function kpisOf({ key, dataOf }: Tenant) {
  const [rest, graph] = await Promise.all([
    gateway.call<Envelope>("/v1/emissions/kpis", { headers: { "X-API-Key": key } }),
    dataOf(`{ emissionKpis {
      from to totalCo2eTonnes totalCo2eTonnesExact previousCo2eTonnes previousCo2eTonnesExact changePercent
      byScope { scope co2eTonnes co2eTonnesExact } byFacility { facility { id code name } co2eTonnes co2eTonnesExact }
      marketBasedScope2Tonnes marketBasedScope2TonnesExact marketBasedRecordCount coveragePercent latestRecord
      intensities { metric unit from to co2eTonnesExact metricTotalExact missingMonths tonnesPerUnit tonnesPerUnitExact }
    } }`),
  ]);
  expect(rest.status).toBe(200);
  return { rest: rest.body.data as Record<string, unknown>, graph: graph.emissionKpis };
}

/** Adds a record with these values on the last day of each month. */
async function addSeries(
  slug: string,
  months: readonly string[],
  values: Parameters<typeof addRecord>[2] & object,
): Promise<void> {
  for (const month of months)
    await addRecord(gateway.database, slug, { ...values, recordedOn: endOf(month) });
}

describe("GET /v1/emissions/kpis and { emissionKpis }", () => {
  it("return the figures of the last 12 months", async () => {
    const tenant = await newTenant(gateway);
    const { slug } = tenant;
    const { database } = gateway;
    const facility = await addFacility(database, slug, { code: "north", name: "North" });
    // 34 of 36 monthly records: 33 × 33 + 39.4 = 1,128.4. The record of June 2025 belongs to the first series.
    await addSeries(slug, MONTHS, { facility, co2eTonnes: "33" });
    const others = MONTHS.filter((month) => month !== "2026-02");
    await addSeries(slug, others, {
      facility,
      scope: "scope_2",
      co2eTonnes: "33",
      marketBasedTonnes: "20.05",
    });
    await addSeries(slug, others.slice(0, -1), { scope: "scope_3", co2eTonnes: "33" });
    await addSeries(slug, ["2026-10"], { scope: "scope_3", co2eTonnes: "39.4", marketBasedTonnes: "7" });
    await addRecord(database, slug, { facility, recordedOn: "2025-06-30", co2eTonnes: "1240" });
    // 11 × 4,333.5 + 4,331.5 = 52,000.
    await addMetric(database, slug, MONTHS.slice(1), { value: "4333.5" });
    await addMetric(database, slug, [MONTHS[0] ?? ""], { value: "4331.5" });
    await addMetric(database, slug, ["2025-10", "2026-11"], { value: "999" });
    await addMetric(database, slug, MONTHS.slice(2), { name: "Revenue", unit: "EUR" });
    await addMetric(database, slug, MONTHS, { name: "Visits", unit: "visits", value: "0" });

    const months = { from: "2025-11-01", to: "2026-10-31" };
    const { id, code, name } = facility;
    const { rest, graph } = await kpisOf(tenant);
    expect(rest).toEqual({
      period: "last_12_months",
      from: "2025-11-21",
      to: "2026-11-20",
      total: 1128.4,
      total_exact: "1128.4",
      previous_total: 1240,
      previous_total_exact: "1240",
      change_pct: -9,
      scope_breakdown: [
        { scope: "scope_1", co2e_tonnes: 396, co2e_tonnes_exact: "396" },
        { scope: "scope_2", co2e_tonnes: 363, co2e_tonnes_exact: "363" },
        { scope: "scope_3", co2e_tonnes: 369.4, co2e_tonnes_exact: "369.4" },
      ],
      top_facilities: [
        { facility: { id, code, name }, co2e_tonnes: 759, co2e_tonnes_exact: "759" },
        { facility: null, co2e_tonnes: 369.4, co2e_tonnes_exact: "369.4" },
      ],
      // 11 × 20.05; the market-based amount in scope 3 does not count.
      market_based_scope_2: 220.55,
      market_based_scope_2_exact: "220.55",
      market_based_record_count: 11,
      intensity: [
        {
          metric: "Revenue",
          unit: "EUR",
          ...months,
          co2e_tonnes_exact: "1128.4",
          metric_total_exact: "40000",
          missing_months: ["2025-11", "2025-12"],
          tonnes_per_unit: null,
          tonnes_per_unit_exact: null,
        },
        {
          metric: "Units produced",
          unit: "units",
          ...months,
          co2e_tonnes_exact: "1128.4",
          metric_total_exact: "52000",
          missing_months: [],
          tonnes_per_unit: 0.0217,
          tonnes_per_unit_exact: "0.0217",
        },
        {
          metric: "Visits",
          unit: "visits",
          ...months,
          co2e_tonnes_exact: "1128.4",
          metric_total_exact: "0",
          missing_months: [],
          tonnes_per_unit: null,
          tonnes_per_unit_exact: null,
        },
      ],
      coverage_pct: 94.44,
      latest_record: "2026-10-31",
    });
    const snakeCase = (text: string) =>
      text.replaceAll(/(?<!")([A-Z])(?=\w*":)/g, (l) => `_${l.toLowerCase()}`);
    expect(JSON.parse(snakeCase(JSON.stringify(graph)))).toMatchObject({
      total_co2e_tonnes: 1128.4,
      previous_co2e_tonnes: 1240,
      change_percent: -9,
      by_scope: [{ scope: "SCOPE_1", co2e_tonnes: 396 }, { co2e_tonnes: 363 }, { co2e_tonnes: 369.4 }],
      by_facility: rest["top_facilities"],
      market_based_scope2_tonnes: 220.55,
      market_based_scope2_tonnes_exact: "220.55",
      intensities: rest["intensity"],
      coverage_percent: 94.44,
      latest_record: "2026-10-31",
    });
  });

  it("return null if there is nothing to compare with", async () => {
    const { rest } = await kpisOf(await newTenant(gateway));
    expect(rest).toMatchObject({
      total: 0,
      previous_total: 0,
      change_pct: null,
      top_facilities: [],
      market_based_scope_2: null,
      market_based_record_count: 0,
      intensity: [],
      coverage_pct: null,
      latest_record: null,
    });
  });

  it.each([
    // 0.005 % rounds away from zero.
    ["20000", "20001", 0.01],
    ["20000", "19999", -0.01],
    ["3", "4", 33.33],
  ])(
    "round the change from %s to %s to 2 decimals, half away from zero: %d",
    async (before, now, percent) => {
      const tenant = await newTenant(gateway);
      await addRecord(gateway.database, tenant.slug, { recordedOn: "2025-11-20", co2eTonnes: before });
      await addRecord(gateway.database, tenant.slug, { recordedOn: "2025-11-21", co2eTonnes: now });
      expect((await kpisOf(tenant)).rest).toMatchObject({ change_pct: percent });
    },
  );

  it("divide emissions of complete months, and keep the digits of a small intensity", async () => {
    const tenant = await newTenant(gateway);
    const { database } = gateway;
    // The first two fall in the last 12 months, but only the second in the 12 complete months.
    for (const recordedOn of ["2026-11-02", "2025-11-30", "2025-10-31"])
      await addRecord(database, tenant.slug, { recordedOn, co2eTonnes: "10" });
    await addMetric(database, tenant.slug, MONTHS, { value: "250000000" });
    expect((await kpisOf(tenant)).rest).toMatchObject({
      total: 20,
      intensity: [
        { co2e_tonnes_exact: "10", tonnes_per_unit: 0, tonnes_per_unit_exact: "0.00000000333333333333" },
      ],
    });
    gateway.setNow(new Date("2026-12-01T00:00:00Z"));
    expect((await kpisOf(tenant)).rest).toMatchObject({
      intensity: [
        { from: "2025-12-01", to: "2026-11-30", missing_months: ["2026-11"], tonnes_per_unit: null },
      ],
    });
  });
});

describe("GET /v1/emissions/trend", () => {
  const at = async ({ key }: Tenant, query: string) => {
    const { status, body } = await gateway.call<Envelope>(`/v1/emissions/trend${query}`, {
      headers: { "X-API-Key": key },
    });
    return {
      status,
      error: body.error,
      data: body.data as never as { periods: unknown[]; series: unknown[]; others: unknown },
    };
  };
  const period = (from: string, to: string, tonnes: number | null) => ({
    from,
    to,
    co2e_tonnes: tonnes,
    co2e_tonnes_exact: tonnes === null ? null : String(tonnes),
    gap: tonnes === null,
  });
  const RANGE = "?from=2026-01-01&to=2026-03-31";
  const inMonths = (...tonnes: (number | null)[]) => [
    period("2026-01-01", "2026-01-31", tonnes[0] ?? null),
    period("2026-02-01", "2026-02-28", tonnes[1] ?? null),
    period("2026-03-01", "2026-03-31", tonnes[2] ?? null),
  ];

  async function newEmitter() {
    const tenant = await newTenant(gateway);
    const facility = await addFacility(gateway.database, tenant.slug, { code: "north", name: "North" });
    const add = (recordedOn: string, co2eTonnes: number, values: object = {}) =>
      addRecord(gateway.database, tenant.slug, { recordedOn, co2eTonnes, ...values });
    await add("2026-01-15", 5, { facility, category: "heat" });
    await add("2026-01-20", 1.5, { scope: "scope_2" });
    await add("2026-03-31", 0, { facility });
    return { tenant, facility };
  }

  it("distinguishes a period without records from a recorded zero, in total and by scope", async () => {
    const { tenant } = await newEmitter();
    const totals = { from: "2026-01-01", to: "2026-03-31", periods: inMonths(6.5, null, 0) };
    expect((await at(tenant, RANGE)).data).toEqual({ ...totals, series: [], others: null });
    expect((await at(tenant, `${RANGE}&by=scope`)).data).toEqual({
      ...totals,
      series: [
        { part: "scope_1", periods: inMonths(5, null, 0) },
        { part: "scope_2", periods: inMonths(1.5, null, null) },
        { part: "scope_3", periods: inMonths(null, null, null) },
      ],
      others: null,
    });
    const graph = await tenant.dataOf(
      `{ emissions(range: { from: "2026-01-01", to: "2026-03-31" }) { trend { co2eTonnes isGap } } }`,
    );
    expect(graph.emissions.trend).toEqual([
      { co2eTonnes: 6.5, isGap: false },
      { co2eTonnes: 0, isGap: true },
      { co2eTonnes: 0, isGap: false },
    ]);
  });

  it("splits by facility or category, largest first, and by month, quarter or year", async () => {
    const { tenant, facility } = await newEmitter();
    const { id, code, name } = facility;
    expect((await at(tenant, `${RANGE}&by=facility`)).data.series).toEqual([
      { part: id, facility: { id, code, name }, periods: inMonths(5, null, 0) },
      { part: null, facility: null, periods: inMonths(1.5, null, null) },
    ]);
    expect((await at(tenant, `${RANGE}&by=category&step=quarter`)).data.series).toEqual([
      { part: "heat", periods: [period("2026-01-01", "2026-03-31", 5)] },
      { part: null, periods: [period("2026-01-01", "2026-03-31", 1.5)] },
    ]);
    const years = await at(tenant, "?from=2025-01-01&to=2026-12-31&step=year");
    expect(years.data.periods).toEqual([
      period("2025-01-01", "2025-12-31", null),
      period("2026-01-01", "2026-12-31", 6.5),
    ]);
    // The last 12 months begin and end in the middle of a month, so they touch 13.
    expect((await at(tenant, "")).data.periods).toHaveLength(13);
  });

  it("sums the parts beyond `limit` as others", async () => {
    const { tenant, facility } = await newEmitter();
    const south = await addFacility(gateway.database, tenant.slug, { code: "south", name: "South" });
    const east = await addFacility(gateway.database, tenant.slug, { code: "east", name: "East" });
    await addRecord(gateway.database, tenant.slug, {
      recordedOn: "2026-01-31",
      co2eTonnes: 0.1,
      facility: south,
    });
    await addRecord(gateway.database, tenant.slug, {
      recordedOn: "2026-03-31",
      co2eTonnes: 0.2,
      facility: east,
    });
    const listed = async (limit: number) => {
      const { data } = await at(tenant, `${RANGE}&by=facility&limit=${limit}`);
      return [data.series.map((each) => (each as { part: string }).part), data.others];
    };
    expect(await listed(1)).toEqual([[facility.id], { count: 3, periods: inMonths(1.6, null, 0.2) }]);
    expect(await listed(2)).toEqual([[facility.id, null], { count: 2, periods: inMonths(0.1, null, 0.2) }]);
    expect(await listed(4)).toEqual([[facility.id, null, east.id, south.id], null]);
  });

  it("lists the ten largest parts over 120 months", async () => {
    const tenant = await newTenant(gateway);
    for (let n = 1; n <= 11; n += 1)
      await addRecord(gateway.database, tenant.slug, { category: `c${n}`, co2eTonnes: n });
    const { data } = await at(tenant, "?from=2017-01-01&to=2026-12-31&by=category");
    expect([data.periods.length, data.series.map((each) => (each as { part: string }).part)]).toEqual([
      120,
      Array.from({ length: 10 }, (_, n) => `c${11 - n}`),
    ]);
  });

  it.each([
    ["?from=2026-01-01", "query: expected both from and to, or neither"],
    [
      "?from=2026-01-01&to=2036-01-01",
      "query: expected at most 120 periods. Use a shorter range or a longer step",
    ],
    ["?from=2026-02-01&to=2026-01-01", "query.to: expected 2026-02-01 or later, got 2026-01-01"],
    ["?from=2026-02-30&to=2026-03-01", 'query.from: expected a date YYYY-MM-DD, got "2026-02-30"'],
    ["?step=week", 'query.step: expected one of month, quarter, year, got "week"'],
    ["?by=country", 'query.by: expected one of scope, facility, category, got "country"'],
    ["?steps=month", "query.steps: unknown parameter. Did you mean step?"],
    ["?by=facility&limit=101", 'query.limit: expected a whole number from 1 to 100, got "101"'],
    ["?by=facility&limit=93", "query.limit: expected at most 92 for 13 periods, got 93"],
  ])("refuses %s", async (query, message) => {
    const { status, error } = await at(await newTenant(gateway), query);
    expect([status, error]).toEqual([400, { code: "BAD_REQUEST", message }]);
  });
});
