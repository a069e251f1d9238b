import { beforeAll, describe, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { answer, type Body, refused } from "../support/answers.js";
import { readAuditTrail } from "../support/audit.js";
import { signUp, type TestPerson } from "../support/people.js";
import { useGateway } from "../support/use.js";

const gateway = useGateway();
beforeAll(async () => {
  await loadFactors(gateway.database, REFERENCE_FOLDER);
});

const OF_2025 = {
  source: "UK DESNZ, Greenhouse gas reporting: conversion factors 2025 (version 1, 10 June 2025)",
  year: 2025,
};
const OF_2026 = { source: "UK DESNZ, Greenhouse gas reporting: conversion factors 2026", year: 2026 };

/** Returns a record of UK grid electricity in 2025. */
const grid = (amount: number, more: object = {}) => ({
  recorded_on: "2025-06-30",
  scope: "scope_2",
  activity: {
    amount,
    unit: "kWh",
    selector: { activity: "Electricity: UK", region: "UK", scope: "scope_2" },
  },
  ...more,
});

async function add(person: TestPerson, ...records: object[]): Promise<Body[]> {
  const json = { records, accept: ["RECORD_UNUSUAL"] };
  return (await answer(person.call("/v1/emissions/records", { json }), 201)).records;
}
const post = (person: TestPerson, factor_set: object, more: object = {}) =>
  person.call<Body>("/v1/emissions/recalculate", { json: { factor_set, ...more } });
const done = (person: TestPerson, factorSet: object, more: object = {}) =>
  answer(post(person, factorSet, more), 200);
const list = async (person: TestPerson) =>
  (await person.call<Body>("/v1/emissions/records?limit=100")).body.data.items;
/** Reads the total, then the amount and version of each record. */
async function ledger(person: TestPerson) {
  const { body } = await person.graphql(
    '{ emissions(range: { from: "2025-01-01", to: "2026-12-31" }) { totalCo2eTonnesExact } }',
  );
  const rows = (await list(person)).map((row: Body) => [row.co2e_tonnes_exact, row.version]);
  return [body.data.emissions.totalCo2eTonnesExact, ...rows];
}

const amountOf = (before: string, after: string, change: string, change_pct: number | null) => ({
  before: Number(before),
  before_exact: before,
  after: Number(after),
  after_exact: after,
  change: Number(change),
  change_exact: change,
  change_pct,
});
const NOTHING = amountOf("0", "0", "0", null);
const EXPECTED = amountOf("0.7434", "0.550032", "-0.193368", -26.01);

describe("POST /v1/emissions/recalculate", () => {
  it("previews the change with another year's factors: −26.01 % for the UK grid", async () => {
    const ada = await signUp(gateway);
    const [record] = await add(ada, grid(4_200, { reference: "grid-06" }));
    const before = await ledger(ada);
    expect(await done(ada, OF_2026, { dry_run: true })).toEqual({
      dry_run: true,
      records: 1,
      changed: 1,
      unchanged: 0,
      obstacles: [],
      total: EXPECTED,
      by_scope: [
        { scope: "scope_1", ...NOTHING },
        { scope: "scope_2", ...EXPECTED },
        { scope: "scope_3", ...NOTHING },
      ],
      first_changes: [
        {
          id: record.id,
          reference: "grid-06",
          recorded_on: "2025-06-30",
          scope: "scope_2",
          ...EXPECTED,
          former_factor: record.calculation.factor,
          factor: {
            ...record.calculation.factor,
            id: expect.any(String),
            factor: 0.13096,
            factor_exact: "0.13096",
            source: OF_2026.source,
            source_year: 2026,
            source_url:
              "https://www.gov.uk/government/publications/greenhouse-gas-reporting-conversion-factors-2026",
          },
        },
      ],
    });
    expect([before, await ledger(ada)]).toEqual([
      ["0.7434", ["0.7434", 1]],
      ["0.7434", ["0.7434", 1]],
    ]);
  });

  it("recalculates with an audit entry, and restores the figures with the former factors", async () => {
    const ada = await signUp(gateway);
    const [record] = await add(ada, grid(4_200));
    const dry = await done(ada, OF_2026, { dry_run: true });
    expect(await done(ada, OF_2026)).toEqual({ ...dry, dry_run: false });
    expect(await ledger(ada)).toEqual(["0.550032", ["0.550032", 2]]);
    const [{ activity, calculation }] = await list(ada);
    const { factor } = dry.first_changes[0];
    expect([activity, calculation]).toEqual([
      { ...record.activity, selector: null, factor_id: factor.id },
      {
        co2e_kg: 550.032,
        co2e_kg_exact: "550.032",
        co2e_tonnes: 0.550032,
        co2e_tonnes_exact: "0.550032",
        factor,
        notices: [],
        formula: "4200 kWh × 0.13096 kg CO2e per kWh = 550.032 kg CO2e",
        precedence: [{ source: factor.source, chosen: true }],
        reason: "recalculated with the factors of 2026 instead of 2025",
      },
    ]);
    expect((await readAuditTrail(gateway.database, ada.organization.id)).at(-1)).toMatchObject({
      action: "emission_record.updated",
      actor: { type: "user", id: ada.user.id },
      target: { id: record.id },
      changes: { co2e_tonnes: { from: 0.7434, to: 0.550032 }, version: { from: 1, to: 2 } },
    });
    expect(await done(ada, OF_2026)).toMatchObject({ changed: 0, unchanged: 1, total: NOTHING });
    expect(await done(ada, OF_2025)).toMatchObject({
      changed: 1,
      total: amountOf("0.550032", "0.7434", "0.193368", 35.16),
    });
    expect(await ledger(ada)).toEqual(["0.7434", ["0.7434", 3]]);
    expect((await list(ada))[0].calculation).toEqual({
      ...record.calculation,
      reason: "recalculated with the factors of 2025 instead of 2026",
    });
  });

  it("counts records it cannot recalculate by reason, and leaves them unchanged", async () => {
    const ada = await signUp(gateway);
    const record = { recorded_on: "2025-06-30", scope: "scope_1" };
    const by = (amount: number, unit: string, rest: object) => ({
      ...record,
      activity: { amount, unit, ...rest },
    });
    const gas = { activity: "Natural gas", region: "UK", scope: "scope_1" };
    await add(
      ada,
      { ...record, co2e_tonnes: 5 },
      by(2, "kg", { gas: "CH4" }),
      by(1_000, "kWh (net CV)", { selector: gas }),
      by(1_000, "kWh (gross CV)", { selector: gas }),
      grid(1_000, { recorded_on: "2026-06-30" }),
      grid(1_000),
    );
    expect(await done(ada, OF_2026, { dry_run: true })).toMatchObject({
      records: 6,
      changed: 2,
      unchanged: 1,
      obstacles: [
        { reason: "amount_given", records: 1 },
        { reason: "by_gas", records: 1 },
        { reason: "no_factor", records: 1 },
      ],
      total: { before_exact: "0.35996", after_exact: "0.31327" },
      by_scope: [{ before_exact: "0.18296" }, { before_exact: "0.177" }, NOTHING],
    });
    await done(ada, OF_2026);
    const versions = (await list(ada)).map(({ version }: Body) => version);
    expect(versions.toSorted()).toEqual([1, 1, 1, 1, 2, 2]);
  });

  it("matches activities that publishers rename each year, but never different activities", async () => {
    const ada = await signUp(gateway);
    const bySelector = (activity: string, region: string, unit: string) => ({
      recorded_on: "2026-10-31",
      scope: "scope_3",
      activity: { amount: 1_000, unit, selector: { activity, region } },
    });
    const wellToTank = await gateway.database.prisma.emissionFactor.findFirstOrThrow({
      where: { category: { startsWith: "WTT" }, activity: "Average car", detail: "Diesel", unit: "km" },
    });
    await add(
      ada,
      bySelector("Car, average, diesel", "UK", "km"),
      bySelector("Rail, national", "UK", "passenger.km"),
      { ...grid(1), activity: { amount: 1_000, unit: "km", factor_id: wellToTank.id } },
      bySelector("Grid electricity, India", "India", "kWh"),
    );
    expect(await done(ada, OF_2025)).toMatchObject({
      changed: 2,
      unchanged: 1,
      obstacles: [{ reason: "no_factor", records: 1 }],
    });
    const india = {
      source: "Central Electricity Authority (India), CO2 Baseline Database, Version 21.0",
      year: 2025,
    };
    expect((await done(ada, india)).total).toEqual(amountOf("0.678033", "0.7117", "0.033667", 4.97));
    expect(await done(ada, OF_2026)).toMatchObject({
      changed: 2,
      unchanged: 0,
      obstacles: [{ reason: "no_factor", records: 2 }],
    });
  });

  it("filters records as the list does", async () => {
    const ada = await signUp(gateway);
    await add(
      ada,
      grid(1_000, { recorded_on: "2025-01-31", category: "office" }),
      grid(2_000, { recorded_on: "2025-02-28", note: "of the mill" }),
    );
    const found = async (more: object) =>
      (await done(ada, OF_2026, { dry_run: true, ...more })).total.before_exact;
    expect(await found({})).toBe("0.531");
    expect(await found({ from: "2025-02-01" })).toBe("0.354");
    expect(await found({ to: "2025-02-01", scope: "scope_2" })).toBe("0.177");
    expect(await found({ category: "office" })).toBe("0.177");
    expect(await found({ q: "MILL" })).toBe("0.354");
    expect(await found({ scope: "scope_1" })).toBe("0");
    expect(await found({ to: "2025-02-01", scope: ["scope_1", "scope_2"] })).toBe("0.177");
    await refused(post(ada, OF_2026, { facility: "nowhere" }), 400);
    await refused(post(ada, OF_2026, { form: "2025-01-01" }), 422);
    await refused(post(ada, { ...OF_2026, source: "\0" }), 400);
  });

  it("accepts the organization's own factors, but not another organization's", async () => {
    const [ada, bob] = [await signUp(gateway), await signUp(gateway)];
    const activity = { ...grid(1).activity, unit: "MWh" };
    await add(ada, { ...grid(1), activity });
    await ada.call("/v1/emission-factors", {
      json: {
        activity: "Electricity: UK",
        region: "uk",
        scope: "scope_2",
        category: "purchased_electricity",
        unit: "kWh",
        factor: "0.2",
        source: "Our supplier",
        source_year: 2025,
        source_url: "https://example.org",
      },
    });
    const set = { source: "Our supplier", year: 2025 };
    expect((await done(ada, set)).total).toEqual(amountOf("0.177", "0.2", "0.023", 12.99));
    await add(bob, grid(1_000));
    const { message } = await refused(post(bob, set), 422, ["factor_set"]);
    expect(message).toContain(`(got "Our supplier" of 2025; publications of 2025: "Central`);
    await refused(post(bob, { source: "Nobody", year: 1800 }), 422, ["factor_set"]);
  });

  it("changes all records or none, even with a concurrent recalculation", async () => {
    const ada = await signUp(gateway);
    await add(ada, ...Array.from({ length: 250 }, (_, index) => grid(index + 1)));
    const answers = await Promise.all([post(ada, OF_2026), post(ada, OF_2026)]);
    const statuses = answers.map(({ status }) => status).toSorted();
    const changed = answers.map(({ body }) => body.data?.changed ?? 0);
    // The second request either collides with the first or finds nothing left to change.
    expect([[200, 200].join(), [200, 409].join()]).toContain(statuses.join());
    expect(changed.toSorted((a, b) => a - b)).toEqual([0, 250]);
    const entries = await readAuditTrail(gateway.database, ada.organization.id);
    const updates = entries.filter(({ action }) => action === "emission_record.updated");
    // A statement that changes more than 100 records has a single audit entry.
    expect(updates).toMatchObject([{ target: { id: null }, changes: { rows: 250 } }]);
    expect((await done(ada, OF_2025, { dry_run: true })).first_changes).toHaveLength(100);
  });

  it("recalculates at most 500 records in one call, not counting those it skips", async () => {
    const ada = await signUp(gateway);
    const given = { recorded_on: "2026-06-30", scope: "scope_3", co2e_tonnes: 1 };
    await add(ada, ...Array.from({ length: 499 }, () => grid(1)), given);
    await add(ada, grid(1), grid(1, { recorded_on: "2025-07-31" }));
    const filter = "filter must match at most 500 records calculated with a factor (got 501).";
    for (const dry_run of [true, false]) await refused(post(ada, OF_2026, { dry_run }), 422, { filter });
    expect(await done(ada, OF_2026, { from: "2025-07-01" })).toMatchObject({ records: 2, changed: 1 });
    expect(await done(ada, OF_2026, { to: "2025-06-30", scope: "scope_2" })).toMatchObject({ changed: 500 });
  });
});
