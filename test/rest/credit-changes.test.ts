import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { addBatch, addSale } from "../support/fixtures.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { type Answer, type Envelope, makeKey, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const BATCHES = "/v1/credits/batches";
const TODAY = "2026-11-20";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const refusal = ({ status, body }: Answer<Envelope>) => [status, body.error];
const conflict = (message: string, details: object[]) => [409, { code: "CONFLICT", message, details }];

/** Adds a batch of 100 credits; `path` is its URL. */
async function issue(person: TestPerson, changed: object = {}) {
  const json = {
    reference: `B-${randomUUID()}`,
    credit_type: "VCS",
    vintage: 2024,
    quantity: 100,
    ...changed,
  };
  const answer = await person.call(BATCHES, { json });
  const batch = answer.body.data as { id: string; reference: string; available: number };
  return { ...answer, json, batch, path: `${BATCHES}/${batch?.id}` };
}
const available = async (person: TestPerson, path: string) =>
  ((await person.call(path)).body.data as { available: number }).available;

describe("POST /v1/credits/batches", () => {
  it("adds a batch once for each reference", async () => {
    const ada = await signUp(gateway);
    const { json, batch, path, ...made } = await issue(ada, { reference: " B-1 " });
    expect([made.status, made.headers.get("location")]).toEqual([201, path]);
    expect(batch).toEqual({
      id: expect.any(String),
      reference: "B-1",
      credit_type: "VCS",
      vintage: 2024,
      issued: 100,
      sold: 0,
      retired: 0,
      available: 100,
    });
    const again = await ada.call(BATCHES, { json });
    expect([again.status, again.headers.get("location"), again.body.data]).toEqual([200, null, batch]);
    expect((await ada.call(path)).body.data).toEqual(batch);

    const other = await ada.call(BATCHES, { json: { ...json, vintage: null, quantity: 90 } });
    expect(refusal(other)).toEqual(
      conflict("The reference B-1 already exists with a different vintage, quantity.", [
        { path: "vintage", message: "is stored as 2024, got nothing" },
        { path: "quantity", message: "is stored as 100, got 90" },
      ]),
    );
    for (const [query, items] of [
      ["credit_type=vcs&vintage=2024&available=true", [batch]],
      ["available=false", []],
      ["vintage=2023", []],
    ] as const)
      expect((await ada.call(`${BATCHES}?${query}`)).body.data).toEqual({ items, next_cursor: null });
    expect((await ada.call(`${BATCHES}?type=VCS`)).status).toBe(400);
  });

  it("reports all problems of a batch together", async () => {
    const ada = await signUp(gateway);
    const answer = await ada.call(BATCHES, {
      json: { reference: " ", credit_type: "x".repeat(201), vintage: 1899, quantity: 0 },
    });
    const details = [
      { path: "reference", message: "reference must not be blank." },
      { path: "credit_type", message: "credit_type must have at most 200 characters (got 201)." },
      { path: "vintage", message: "vintage must be a year from 1900 to 2100 (got 1899)." },
      { path: "quantity", message: "quantity must be at least 1 (got 0)." },
    ];
    const message = details.map((one) => one.message).join(" ");
    expect(refusal(answer)).toEqual([422, { code: "VALIDATION_FAILED", message, details }]);
    expect((await issue(ada, { quantity: 1.5 })).status).toBe(422);
    const max = Number.MAX_SAFE_INTEGER;
    expect((await issue(ada, { quantity: max - 10 })).status).toBe(201);
    expect((await issue(ada, { quantity: 10 })).status).toBe(201);
    expect((await issue(ada, { quantity: 1 })).body.error?.message).toBe(
      `quantity must be at most 0: all batches together can hold at most ${max} credits (got 1).`,
    );
  });
});

describe("POST /v1/credits/batches/{id}/sales", () => {
  it("lists sales without a day last, and not in a range", async () => {
    const ada = await signUp(gateway);
    const batch = await addBatch(gateway.database, ada.organization.slug);
    for (const [reference, soldOn] of [["undated"], ["early", "2026-01-05"], ["late", "2026-11-02"]] as const)
      await addSale(gateway.database, batch, { reference, ...(soldOn && { soldOn }) });
    const list = async (query = "") => {
      const { body } = await ada.call(`/v1/credits/sales${query}`);
      return (body.data as { items: { reference: string }[] }).items.map(({ reference }) => reference);
    };
    expect(await list()).toEqual(["late", "early", "undated"]);
    expect(await list("?from=2026-02-01")).toEqual(["late"]);
    expect(await list("?to=2026-02-01")).toEqual(["early"]);
  });

  it("sells credits once for each reference within the batch", async () => {
    const ada = await signUp(gateway);
    const { batch, path } = await issue(ada);
    const json = {
      quantity: 30,
      sold_on: "2026-11-02",
      buyer: "Globex",
      price: "8.750000001",
      currency: "USD",
    };
    const named = { ...json, reference: "INV-1" };
    const made = await ada.call(`${path}/sales`, { json: named });
    const sale = made.body.data as { id: string };
    expect([made.status, made.headers.get("location")]).toEqual([201, `/v1/credits/sales/${sale.id}`]);
    expect(sale).toEqual({
      id: expect.any(String),
      batch_id: batch.id,
      batch_reference: batch.reference,
      reference: "INV-1",
      quantity: 30,
      sold_on: "2026-11-02",
      buyer: "Globex",
      price: 8.750000001,
      price_exact: "8.750000001",
      currency: "USD",
    });
    expect((await ada.call(`/v1/credits/sales/${sale.id}`)).body.data).toEqual(sale);
    const again = await ada.call(`${path}/sales`, { json: { ...named, price: "8.7500000010" } });
    expect([again.status, again.body.data]).toEqual([200, sale]);
    expect(refusal(await ada.call(`${path}/sales`, { json: { ...named, price: 9, buyer: null } }))).toEqual(
      conflict("The reference INV-1 already exists with a different buyer, price.", [
        { path: "buyer", message: "is stored as Globex, got nothing" },
        { path: "price", message: "is stored as 8.750000001, got 9" },
      ]),
    );

    // The day defaults to today; without a reference each request is a separate sale.
    const bare = await ada.call(`${path}/sales`, { json: { quantity: 1 } });
    expect(bare).toMatchObject({
      status: 201,
      body: { data: { sold_on: TODAY, buyer: null, price: null, price_exact: null, currency: null } },
    });
    expect((await ada.call(`${path}/sales`, { json: { quantity: 1 } })).status).toBe(201);
    const first = await ada.call(`${path}/sales?limit=2`);
    const { items, next_cursor } = first.body.data as { items: { sold_on: string }[]; next_cursor: string };
    expect(items.map(({ sold_on }) => sold_on)).toEqual([TODAY, TODAY]);
    expect((await ada.call(`${path}/sales?limit=2&cursor=${next_cursor}`)).body.data).toEqual({
      items: [sale],
      next_cursor: null,
    });
    expect(await available(ada, path)).toBe(68);
  });

  it("reports all problems of a sale together", async () => {
    const ada = await signUp(gateway);
    const { path } = await issue(ada);
    const json = { quantity: 0, sold_on: "2026-11-21", price: "-1", reference: "bundle" };
    expect(refusal(await ada.call(`${path}/sales`, { json }))).toMatchObject([
      422,
      {
        code: "VALIDATION_FAILED",
        details: [
          { path: "quantity" },
          {
            path: "sold_on",
            message: "sold_on must be from 1990-01-01 to today (2026-11-20 in UTC) (got 2026-11-21).",
          },
          { path: "price" },
          { path: "currency", message: "currency is required with price." },
          { path: "reference" },
        ],
      },
    ]);
    for (const [wrong, field] of [
      [{ price: "0.0000000001", currency: "EUR" }, "price"],
      [{ price: 1, currency: "euro" }, "currency"],
      [{ price: 1, currency: "XYZ" }, "currency"],
      [{ currency: "EUR" }, "price"],
      [{ sold_on: "2026-02-30" }, "sold_on"],
      [{ quantity: "ten" }, "quantity"],
      [{ quantity: 2 ** 53 }, "quantity"],
    ] as const) {
      const answer = await ada.call(`${path}/sales`, { json: { quantity: 1, ...wrong } });
      expect(refusal(answer)).toMatchObject([422, { details: [{ path: field }] }]);
    }
    expect(await available(ada, path)).toBe(100);
  });
});

describe("POST /v1/credits/batches/{id}/retirements", () => {
  it("retires credits permanently, once for each reference", async () => {
    const ada = await signUp(gateway);
    const { batch, path } = await issue(ada);
    const json = {
      quantity: 60,
      retired_on: "2026-11-01",
      beneficiary: "Acme Ltd",
      purpose: "Travel of 2025",
      reference: "R-1",
    };
    const made = await ada.call(`${path}/retirements`, { json });
    const retirement = made.body.data as { id: string };
    const place = `/v1/credits/retirements/${retirement.id}`;
    expect([made.status, made.headers.get("location")]).toEqual([201, place]);
    expect(retirement).toEqual({
      id: expect.any(String),
      batch_id: batch.id,
      batch_reference: batch.reference,
      ...json,
      ccts_period_id: null,
    });
    expect((await ada.call(place)).body.data).toEqual(retirement);
    const again = await ada.call(`${path}/retirements`, { json });
    expect([again.status, again.body.data]).toEqual([200, retirement]);
    const other = await issue(ada);
    expect(refusal(await ada.call(`${other.path}/retirements`, { json }))).toEqual(
      conflict("The reference R-1 already exists with a different batch.", [
        { path: "batch", message: `is stored as ${batch.id}, got ${other.batch.id}` },
      ]),
    );
    for (const method of ["PATCH", "PUT", "DELETE"])
      expect((await ada.call(place, { method })).status).toBe(405);

    const page = { items: [retirement], next_cursor: null };
    for (const query of [
      `?batch=${batch.id}`,
      "?credit_type=vcs&from=2026-11-01&to=2026-11-01",
      "?to=2026-11-01",
    ])
      expect((await ada.call(`/v1/credits/retirements${query}`)).body.data).toEqual(page);
    const none = { items: [], next_cursor: null };
    for (const query of [`?batch=${other.batch.id}`, "?from=2026-11-02"])
      expect((await ada.call(`/v1/credits/retirements${query}`)).body.data).toEqual(none);
  });

  it("never retires more than is available, even concurrently", async () => {
    const ada = await signUp(gateway);
    const { batch, path } = await issue(ada);
    const retire = () => ada.call(`${path}/retirements`, { json: { quantity: 60 } });
    const answers = await Promise.all([retire(), retire()]);
    const message = `Too few credits: 40 of the batch ${batch.reference} are available, got 60.`;
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(answers.filter(({ status }) => status === 409).map(refusal)).toEqual([
      conflict(message, [{ path: "quantity", message }]),
    ]);
    expect(await available(ada, path)).toBe(40);
  });

  it("writes one row for two concurrent requests with one reference", async () => {
    const ada = await signUp(gateway);
    const reference = `B-${randomUUID()}`;
    const issued = await Promise.all([issue(ada, { reference }), issue(ada, { reference })]);
    const [{ path }] = issued;
    const sell = () => ada.call(`${path}/sales`, { json: { quantity: 30, reference: "S" } });
    const retire = () => ada.call(`${path}/retirements`, { json: { quantity: 60, reference: "R" } });
    for (const answers of [
      issued,
      await Promise.all([sell(), sell()]),
      await Promise.all([retire(), retire()]),
    ]) {
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
      expect(answers[0]?.body.data).toEqual(answers[1]?.body.data);
    }
    expect(await available(ada, path)).toBe(10);
  });

  it("never deadlocks or oversells in many concurrent sales and retirements", async () => {
    const ada = await signUp(gateway);
    const batches = [await issue(ada), await issue(ada)];
    const calls = Array.from({ length: 40 }, (_, index) =>
      ada.call(`${batches[index % 2]?.path}/${index % 4 < 2 ? "sales" : "retirements"}`, {
        json: { quantity: 7 },
      }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    // Each batch of 100 has room for 14 × 7.
    expect([statuses.filter((status) => status === 201).length, new Set(statuses)]).toEqual([
      28,
      new Set([201, 409]),
    ]);
    for (const { path } of batches) expect(await available(ada, path)).toBe(2);
  });
});

describe("/v1/credits", () => {
  it("answers 404 for unknown ids and another organization's", async () => {
    const [ada, eve] = [await signUp(gateway), await signUp(gateway)];
    const { path } = await issue(ada);
    const sale = (await ada.call(`${path}/sales`, { json: { quantity: 1 } })).headers.get("location") ?? "";
    const retired = await ada.call(`${path}/retirements`, { json: { quantity: 1 } });
    const retirement = retired.headers.get("location") ?? "";
    for (const place of [path, `${path}/sales`, sale, retirement])
      for (const id of [
        place,
        place.replace(/[0-9a-f-]{36}/, randomUUID()),
        place.replace(/[0-9a-f-]{36}/, "x"),
      ])
        expect(refusal(await eve.call(id))).toMatchObject([404, { code: "NOT_FOUND" }]);
    for (const place of [path, `${BATCHES}/${randomUUID()}`])
      for (const what of ["sales", "retirements"])
        expect(refusal(await eve.call(`${place}/${what}`, { json: { quantity: 1 } }))).toMatchObject([
          404,
          { code: "NOT_FOUND", message: `There is no batch with the id ${place.slice(-36)}.` },
        ]);
    expect(await available(ada, path)).toBe(98);
  });

  it("lets viewers and keys read, but not write", async () => {
    const ada = await signUp(gateway);
    const { path, json, batch } = await issue(ada);
    const viewer = await addMember(gateway, ada.organization.slug, "viewer");
    const { key } = await makeKey(gateway.database, ada.organization.slug);
    const headers = { "X-API-Key": key, "Content-Type": "application/json" };
    expect((await viewer.call(path)).body.data).toEqual(batch);
    expect((await gateway.call<Envelope>(path, { headers })).body.data).toEqual(batch);
    for (const place of [BATCHES, `${path}/sales`, `${path}/retirements`]) {
      const sent = place === BATCHES ? json : { quantity: 1 };
      expect(refusal(await viewer.call(place, { json: sent }))).toMatchObject([
        403,
        { code: "FORBIDDEN", message: "The role viewer lacks the scope write:credits." },
      ]);
      const byKey = { method: "POST", body: JSON.stringify(sent), headers };
      expect(refusal(await gateway.call<Envelope>(place, byKey))).toMatchObject([
        401,
        {
          code: "INVALID_KEY",
          message:
            "API keys only read: none can have write:credits. Use a service account, or sign in, and send the token as Authorization: Bearer.",
        },
      ]);
    }
  });
});
