import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { deleteOrganization } from "../../src/data/organizations/organizations.js";
import { addBatch } from "../support/fixtures.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { type Answer, type Envelope, makeKey, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const CCTS = "/v1/compliance/ccts";
const SOURCE = "https://moef.gov.in/";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const refusal = ({ status, body }: Answer<Envelope>) => [status, body.error];
const conflict = (message: string, path: string) => [
  409,
  { code: "CONFLICT", message, details: [{ path, message }] },
];

interface Period {
  readonly id: string;
  readonly surrendered: number;
  readonly compensation: number | null;
}
const YEAR = {
  entity: "Smelter II",
  financial_year: "2025-26",
  target_gei: "13.2260",
  target_source_url: SOURCE,
  achieved_gei: 13.3111,
  output: 450_000,
};

/** Records a period that is 38,295 certificates short; `path` is its URL. */
async function record(person: TestPerson, changed: object = {}) {
  const answer = await person.call(CCTS, { json: { ...YEAR, ...changed } });
  const period = answer.body.data as Period;
  return { ...answer, period, path: `${CCTS}/${period?.id}` };
}
const surrender = (person: TestPerson, path: string, json: object) =>
  person.call(`${path}/surrender`, { json });

/** Adds batches of certificates by reference, each with a quantity and perhaps a vintage. */
async function issue(person: TestPerson, batches: Record<string, [quantity: number, vintage?: number]>) {
  for (const [reference, [quantity, vintage]] of Object.entries(batches)) {
    const values = { reference, creditType: "CCC", quantity, ...(vintage && { vintage }) };
    await addBatch(gateway.database, person.organization.slug, values);
  }
}
const left = async (person: TestPerson) => {
  const { items } = (await person.call("/v1/credits/batches?credit_type=CCC")).body.data as {
    items: { reference: string; available: number }[];
  };
  return Object.fromEntries(items.map(({ reference, available }) => [reference, available]));
};

describe("/v1/compliance/ccts", () => {
  it("records an entity's year once, and computes its surplus or shortfall", async () => {
    const ada = await signUp(gateway);
    const { period, path, ...made } = await record(ada);
    expect([made.status, made.headers.get("location"), made.headers.get("etag")]).toEqual([
      201,
      path,
      expect.stringMatching(/^"1-/),
    ]);
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
    const again = await record(ada, { target_gei: 13.226, output: "450000.000000" });
    expect([again.status, again.period]).toEqual([200, period]);
    const read = await ada.call(path);
    expect([read.status, read.headers.get("etag"), read.body.data]).toEqual([
      200,
      expect.stringMatching(/^"1-/),
      period,
    ]);
    expect((await ada.call(CCTS)).body.data).toEqual({ items: [period], next_cursor: null });

    expect(refusal(await record(ada, { achieved_gei: "13.1", average_price: 600 }))).toEqual([
      409,
      {
        code: "CONFLICT",
        message:
          "The year 2025-26 of Smelter II already exists with a different achieved_gei, average_price.",
        details: [
          { path: "achieved_gei", message: "is stored as 13.3111, got 13.1" },
          { path: "average_price", message: "is stored as empty, got 600" },
        ],
      },
    ]);
    const better = await record(ada, { financial_year: "2026-27", achieved_gei: "13.1000" });
    expect(better.period).toMatchObject({
      surplus: 56_700,
      to_issue: 56_700,
      to_surrender: 0,
      compensation: 0,
      compensation_message: null,
    });
  });

  it("changes a year if If-Match has its version", async () => {
    const ada = await signUp(gateway);
    const { path, period } = await record(ada);
    const patch = (json: object, version = '"1"') =>
      ada.call(path, { method: "PATCH", json, headers: { "If-Match": version } });
    const changed = await patch({ average_price: "612.35" });
    expect([changed.status, changed.headers.get("etag"), changed.body.data]).toEqual([
      200,
      expect.stringMatching(/^"2-/),
      {
        ...period,
        average_price: 612.35,
        average_price_exact: "612.35",
        version: 2,
        compensation: 46_899_886.5,
        compensation_exact: "46899886.5",
        compensation_message: null,
      },
    ]);
    expect(refusal(await patch({ output: 1 }))).toEqual(
      conflict(
        'VERSION_MISMATCH: If-Match is "1", and the current version is "2". Read it again.',
        "version",
      ),
    );
    expect((await patch({ average_price: null, achieved_gei: "13.1" }, "*")).body.data).toMatchObject({
      average_price: null,
      to_issue: 56_700,
      compensation: 0,
      version: 3,
    });
    expect((await patch({}, "*")).status).toBe(422);
    expect((await patch({ entity: "Other" }, "*")).status).toBe(422);
  });

  it("reports all problems of a year together", async () => {
    const ada = await signUp(gateway);
    const wrong = { entity: " ", financial_year: "2025-27", target_gei: -1, target_source_url: "moef" };
    expect(refusal(await record(ada, { ...wrong, average_price: "0.0000000001" }))).toMatchObject([
      422,
      {
        code: "VALIDATION_FAILED",
        details: [
          { path: "entity" },
          {
            path: "financial_year",
            message: "financial_year must be two consecutive years, such as 2025-26 (got 2025-27).",
          },
          { path: "target_gei" },
          { path: "target_source_url" },
          { path: "average_price" },
        ],
      },
    ]);
    expect(refusal(await record(ada, { output: "900000000000000" }))).toMatchObject([201, null]);
    expect(
      refusal(await record(ada, { financial_year: "2024-25", achieved_gei: 99, output: 10 ** 14 * 9 })),
    ).toMatchObject([422, { details: [{ path: "output" }] }]);
  });

  it("keeps years to their organization, and lets only editors write", async () => {
    const [ada, eve] = [await signUp(gateway), await signUp(gateway)];
    await issue(eve, { theirs: [100] });
    const { path, period } = await record(ada);
    for (const place of [path, `${CCTS}/${randomUUID()}`]) {
      const answers = [
        await eve.call(place),
        await eve.call(place, { method: "PATCH", json: { output: 1 } }),
        await surrender(eve, place, { quantity: 1 }),
      ];
      expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(
        Array(3).fill([404, "NOT_FOUND"]),
      );
    }
    expect((await eve.call(CCTS)).body.data).toEqual({ items: [], next_cursor: null });
    const viewer = await addMember(gateway, ada.organization.slug, "viewer");
    const { key } = await makeKey(gateway.database, ada.organization.slug);
    expect((await viewer.call(path)).body.data).toEqual(period);
    expect((await gateway.call<Envelope>(path, { headers: { "X-API-Key": key } })).body.data).toEqual(period);
    expect((await record(viewer)).status).toBe(403);
    expect((await surrender(viewer, path, { quantity: 1 })).body.error?.message).toBe(
      "The role viewer lacks the scope write:compliance and write:credits.",
    );
  });
});

describe("POST /v1/compliance/ccts/{id}/surrender", () => {
  it("surrenders the oldest vintage first and undated certificates last", async () => {
    const ada = await signUp(gateway);
    const { path, period } = await record(ada, { output: 1_000, average_price: 100 });
    await issue(ada, { none: [100], b: [20, 2026], a: [20, 2026], old: [30, 2025] });
    await addBatch(gateway.database, ada.organization.slug, {
      reference: "EUA",
      creditType: "EUA",
      vintage: 2020,
    });
    // The period is 86 certificates short.
    const first = await surrender(ada, path, { quantity: 60, reference: "S-1" });
    expect([first.status, first.body.data]).toEqual([
      200,
      { ...period, to_surrender: 86, surrendered: 60, compensation: 5_200, compensation_exact: "5200" },
    ]);
    expect(await left(ada)).toEqual({ old: 0, a: 0, b: 10, none: 100 });
    const again = await surrender(ada, path, { quantity: 60, reference: "S-1" });
    expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    expect(refusal(await surrender(ada, path, { quantity: 26, reference: "S-1" }))).toMatchObject([
      409,
      { details: [{ path: "quantity", message: "is stored as 60, got 26" }] },
    ]);
    expect(refusal(await surrender(ada, path, { quantity: 27 }))).toEqual(
      conflict("Too many certificates: 26 are still to be surrendered, got 27.", "quantity"),
    );
    expect((await surrender(ada, path, { quantity: 26 })).body.data).toMatchObject({
      surrendered: 86,
      compensation: 0,
      compensation_message: null,
      version: 1,
    });
    expect(await left(ada)).toEqual({ old: 0, a: 0, b: 0, none: 84 });

    const { items } = (await ada.call("/v1/credits/retirements")).body.data as {
      items: { reference: string }[];
    };
    const own = { retired_on: "2026-11-20", beneficiary: "Smelter II", ccts_period_id: period.id };
    expect(items.filter(({ reference }) => reference.startsWith("S-1/"))).toMatchObject([
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
    const { path } = await record(ada);
    await issue(ada, { a: [20, 2025], b: [10] });
    expect(refusal(await surrender(ada, path, { quantity: 31 }))).toEqual(
      conflict("Too few certificates: 30 of type CCC are available, got 31.", "quantity"),
    );
    expect(await left(ada)).toEqual({ a: 20, b: 10 });
    const better = await record(ada, { financial_year: "2026-27", achieved_gei: 13 });
    expect((await surrender(ada, better.path, { quantity: 1 })).status).toBe(409);
    expect((await surrender(ada, path, { quantity: 0 })).status).toBe(422);
  });

  it("never over-surrenders or deadlocks with concurrent sales", async () => {
    const ada = await signUp(gateway);
    const { path } = await record(ada, { output: 1_000 });
    const batch = await addBatch(gateway.database, ada.organization.slug, {
      creditType: "CCC",
      quantity: 200,
    });
    const calls = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? surrender(ada, path, { quantity: 20 })
        : ada.call(`/v1/credits/batches/${batch.id}/sales`, { json: { quantity: 5 } }),
    );
    const answers = await Promise.all(calls);
    const counts = (parity: number) =>
      answers.filter(({ status }, index) => index % 2 === parity && status < 300).length;
    expect([counts(0), counts(1)]).toEqual([4, 10]);
    expect((await ada.call(path)).body.data).toMatchObject({ surrendered: 80 });
  });

  it("runs once for two concurrent requests with one reference", async () => {
    const ada = await signUp(gateway);
    const { path } = await record(ada, { output: 1_000 });
    await issue(ada, { a: [200] });
    const both = await Promise.all([1, 2].map(() => surrender(ada, path, { quantity: 50, reference: "S" })));
    expect(both.map(({ status, body }) => [status, (body.data as Period).surrendered])).toEqual([
      [200, 50],
      [200, 50],
    ]);
    expect(await left(ada)).toEqual({ a: 150 });
    await deleteOrganization(gateway.database, ada.organization);
    expect(
      await gateway.database.prisma.cctsPeriod.count({ where: { organizationId: ada.organization.id } }),
    ).toBe(0);
  });
});
