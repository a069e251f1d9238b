import { beforeEach, describe, expect, it } from "vitest";
import { deleteOrganization } from "../../src/data/organizations/organizations.js";
import { answer, type Body, refused } from "../support/answers.js";
import { addBatch } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const CCTS = "/v1/compliance/ccts";
const SOURCE = "https://moef.gov.in/";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const YEAR = {
  entity: "Smelter II",
  financial_year: "2025-26",
  target_gei: "13.2260",
  target_source_url: SOURCE,
  achieved_gei: 13.3111,
  output: 450_000,
};

/** Records a period that is 38,295 certificates short. */
const record = (person: TestPerson, changed: object = {}) =>
  person.call<Body>(CCTS, { json: { ...YEAR, ...changed } });
/** Records a period; returns it with its URL. */
async function begin(person: TestPerson, changed?: object) {
  const period = await answer(record(person, changed), 201);
  return { period, path: `${CCTS}/${period.id}` };
}
const surrender = (person: TestPerson, path: string, json: object) =>
  person.call<Body>(`${path}/surrender`, { json });

/** Adds batches of certificates by reference, each with a quantity and perhaps a vintage. */
async function issue(person: TestPerson, batches: Record<string, [quantity: number, vintage?: number]>) {
  for (const [reference, [quantity, vintage]] of Object.entries(batches)) {
    const values = { reference, creditType: "CCC", quantity, ...(vintage && { vintage }) };
    await addBatch(gateway.database, person.organization.slug, values);
  }
}
const left = async (person: TestPerson) => {
  const { items } = await answer(person.call("/v1/credits/batches?credit_type=CCC"), 200);
  return Object.fromEntries(items.map(({ reference, available }: Body) => [reference, available]));
};

describe("/v1/compliance/ccts", () => {
  it("records an entity's year, and computes its surplus or shortfall", async () => {
    const ada = await signUp(gateway);
    const { period } = await begin(ada);
    expect(period).toEqual({
      id: expect.any(String),
      entity: "Smelter II",
      financial_year: "2025-26",
      target_gei: 13.226,
      target_gei_exact: "13.226",
      target_source_url: SOURCE,
      achieved_gei: 13.3111,
      achieved_gei_exact: "13.3111",
      output: 450_000,
      output_exact: "450000",
      average_price: null,
      average_price_exact: null,
      surplus: -38_295,
      surplus_exact: "-38295",
      to_issue: 0,
      to_surrender: 38_295,
      surrendered: 0,
      compensation: null,
      compensation_exact: null,
      compensation_message: "The average price of the cycle has not been recorded.",
      version: 1,
    });
    await answer(ada.call(CCTS), 200, { items: [period], next_cursor: null });
    const other = record(ada, { achieved_gei: "13.1", average_price: 600 });
    const message =
      "The year 2025-26 of Smelter II already exists with a different achieved_gei, average_price.";
    await refused(other, 409, message);
    const better = await begin(ada, { financial_year: "2026-27", achieved_gei: "13.1000" });
    const surplus = { surplus: 56_700, to_issue: 56_700, to_surrender: 0 };
    expect(better.period).toMatchObject({ ...surplus, compensation: 0, compensation_message: null });
  });

  it("computes the compensation from the price, and again when values change", async () => {
    const ada = await signUp(gateway);
    const { path, period } = await begin(ada);
    const patch = (json: object) => ada.call<Body>(path, { method: "PATCH", json });
    await answer(patch({ average_price: "612.35" }), 200, {
      ...period,
      average_price: 612.35,
      average_price_exact: "612.35",
      version: 2,
      compensation: 46_899_886.5,
      compensation_exact: "46899886.5",
      compensation_message: null,
    });
    const better = { average_price: null, to_issue: 56_700, compensation: 0, version: 3 };
    const changed = patch({ average_price: null, achieved_gei: "13.1" });
    await answer(changed, 200, expect.objectContaining(better));
    for (const json of [{}, { entity: "Other" }]) await refused(patch(json), 422);
  });

  it("reports all problems of a year together", async () => {
    const ada = await signUp(gateway);
    const wrong = { entity: " ", financial_year: "2025-27", target_gei: -1, target_source_url: "moef" };
    const { details } = await refused(record(ada, { ...wrong, average_price: "0.0000000001" }), 422, [
      ...Object.keys(wrong),
      "average_price",
    ]);
    const message = "financial_year must be two consecutive years, such as 2025-26 (got 2025-27).";
    expect(details[1].message).toBe(message);
    await answer(record(ada, { output: "900000000000000" }), 201);
    const large = { financial_year: "2024-25", achieved_gei: 99, output: 10 ** 14 * 9 };
    await refused(record(ada, large), 422, ["output"]);
  });
});

describe("POST /v1/compliance/ccts/{id}/surrender", () => {
  it("surrenders the oldest vintage first and undated certificates last", async () => {
    const ada = await signUp(gateway);
    const { path, period } = await begin(ada, { output: 1_000, average_price: 100 });
    await issue(ada, { none: [100], b: [20, 2026], a: [20, 2026], old: [30, 2025] });
    const { slug } = ada.organization;
    await addBatch(gateway.database, slug, { reference: "EUA", creditType: "EUA", vintage: 2020 });
    // The period is 86 certificates short.
    const owed = { to_surrender: 86, surrendered: 60, compensation: 5_200, compensation_exact: "5200" };
    const first = await answer(surrender(ada, path, { quantity: 60, reference: "S-1" }), 200, {
      ...period,
      ...owed,
    });
    expect(await left(ada)).toEqual({ old: 0, a: 0, b: 10, none: 100 });
    await answer(surrender(ada, path, { quantity: 60, reference: "S-1" }), 200, first);
    const differs = { quantity: "is stored as 60, got 26" };
    await refused(surrender(ada, path, { quantity: 26, reference: "S-1" }), 409, differs);
    const many = { quantity: "Too many certificates: 26 are still to be surrendered, got 27." };
    await refused(surrender(ada, path, { quantity: 27 }), 409, many);
    const all = { surrendered: 86, compensation: 0, compensation_message: null, version: 1 };
    await answer(surrender(ada, path, { quantity: 26 }), 200, expect.objectContaining(all));
    expect(await left(ada)).toEqual({ old: 0, a: 0, b: 0, none: 84 });

    const { items } = await answer(ada.call("/v1/credits/retirements"), 200);
    const own = { retired_on: "2026-11-20", beneficiary: "Smelter II", ccts_period_id: period.id };
    expect(items.filter(({ reference }: Body) => reference.startsWith("S-1/"))).toMatchObject([
      { ...own, reference: "S-1/3", batch_reference: "b", quantity: 10 },
      { ...own, reference: "S-1/2", batch_reference: "a", quantity: 20 },
      {
        ...own,
        reference: "S-1/1",
        batch_reference: "old",
        quantity: 30,
        purpose: "Surrendered under CCTS for 2025-26",
      },
    ]);
    expect(items).toHaveLength(5);
  });

  it("surrenders nothing if too few certificates are available", async () => {
    const ada = await signUp(gateway);
    const { path } = await begin(ada);
    await issue(ada, { a: [20, 2025], b: [10] });
    const few = { quantity: "Too few certificates: 30 of type CCC are available, got 31." };
    await refused(surrender(ada, path, { quantity: 31 }), 409, few);
    expect(await left(ada)).toEqual({ a: 20, b: 10 });
    const better = await begin(ada, { financial_year: "2026-27", achieved_gei: 13 });
    await refused(surrender(ada, better.path, { quantity: 1 }), 409);
    await refused(surrender(ada, path, { quantity: 0 }), 422);
  });

  it("never over-surrenders or deadlocks with concurrent sales", async () => {
    const ada = await signUp(gateway);
    const { path } = await begin(ada, { output: 1_000 });
    const { slug } = ada.organization;
    const batch = await addBatch(gateway.database, slug, { creditType: "CCC", quantity: 200 });
    const calls = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? surrender(ada, path, { quantity: 20 })
        : ada.call(`/v1/credits/batches/${batch.id}/sales`, { json: { quantity: 5 } }),
    );
    const answers = await Promise.all(calls);
    const counts = (parity: number) =>
      answers.filter(({ status }, index) => index % 2 === parity && status < 300).length;
    expect([counts(0), counts(1)]).toEqual([4, 10]);
    expect((await answer(ada.call(path), 200)).surrendered).toBe(80);
  });

  it("runs once for two concurrent requests with one reference", async () => {
    const ada = await signUp(gateway);
    const { path } = await begin(ada, { output: 1_000 });
    await issue(ada, { a: [200] });
    const both = [1, 2].map(() => surrender(ada, path, { quantity: 50, reference: "S" }));
    for (const call of both) await answer(call, 200, expect.objectContaining({ surrendered: 50 }));
    expect(await left(ada)).toEqual({ a: 150 });
    await deleteOrganization(gateway.database, ada.organization);
    const where = { organizationId: ada.organization.id };
    expect(await gateway.database.prisma.cctsPeriod.count({ where })).toBe(0);
  });
});
