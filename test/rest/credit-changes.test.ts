import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { answer, type Body, refused } from "../support/answers.js";
import { addBatch, addSale } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const BATCHES = "/v1/credits/batches";
const TODAY = "2026-11-20";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const post = (person: TestPerson, path: string, json: object) => person.call<Body>(path, { json });
/** Adds a batch of 100 credits; `path` is its URL. */
async function issue(person: TestPerson, changed: object = {}) {
  const json = {
    reference: `B-${randomUUID()}`,
    credit_type: "VCS",
    vintage: 2024,
    quantity: 100,
    ...changed,
  };
  const batch = await answer(post(person, BATCHES, json), 201);
  return { json, batch, path: `${BATCHES}/${batch.id}` };
}
const available = async (person: TestPerson, path: string) =>
  (await answer(person.call(path), 200)).available;
const page = (...items: readonly unknown[]) => ({ items, next_cursor: null });

describe("POST /v1/credits/batches", () => {
  it("adds a batch, and lists it by type, vintage and what is available", async () => {
    const ada = await signUp(gateway);
    const { json, batch } = await issue(ada, { reference: " B-1 " });
    const kind = { reference: "B-1", credit_type: "VCS", vintage: 2024 };
    expect(batch).toEqual({
      id: expect.any(String),
      ...kind,
      issued: 100,
      sold: 0,
      retired: 0,
      available: 100,
    });
    const other = post(ada, BATCHES, { ...json, vintage: null, quantity: 90 });
    await refused(other, 409, "The reference B-1 already exists with a different vintage, quantity.");
    const query = "credit_type=vcs&vintage=2024&available=true";
    await answer(ada.call(`${BATCHES}?${query}`), 200, page(batch));
    for (const none of ["available=false", "vintage=2023"])
      await answer(ada.call(`${BATCHES}?${none}`), 200, page());
    await refused(ada.call(`${BATCHES}?type=VCS`), 400);
  });

  it("reports all problems of a batch together", async () => {
    const ada = await signUp(gateway);
    const wrong = { reference: " ", credit_type: "x".repeat(201), vintage: 1899, quantity: 0 };
    const problems = {
      reference: "reference must not be blank.",
      credit_type: "credit_type must have at most 200 characters (got 201).",
      vintage: "vintage must be a year from 1900 to 2100 (got 1899).",
      quantity: "quantity must be at least 1 (got 0).",
    };
    const { message } = await refused(post(ada, BATCHES, wrong), 422, problems);
    expect(message).toBe(Object.values(problems).join(" "));
    const { json } = await issue(ada, { quantity: Number.MAX_SAFE_INTEGER - 10 });
    await refused(post(ada, BATCHES, { ...json, reference: "a", quantity: 1.5 }), 422);
    await issue(ada, { quantity: 10 });
    const full = `quantity must be at most 0: all batches together can hold at most ${Number.MAX_SAFE_INTEGER} credits (got 1).`;
    await refused(post(ada, BATCHES, { ...json, reference: "b", quantity: 1 }), 422, full);
  });
});

describe("POST /v1/credits/batches/{id}/sales", () => {
  it("lists sales without a day last, and not in a range", async () => {
    const ada = await signUp(gateway);
    const batch = await addBatch(gateway.database, ada.organization.slug);
    for (const [reference, soldOn] of [["undated"], ["early", "2026-01-05"], ["late", "2026-11-02"]] as const)
      await addSale(gateway.database, batch, { reference, ...(soldOn && { soldOn }) });
    const list = async (query = "") =>
      (await answer(ada.call(`/v1/credits/sales${query}`), 200)).items.map(
        ({ reference }: Body) => reference,
      );
    expect(await list()).toEqual(["late", "early", "undated"]);
    expect(await list("?from=2026-02-01")).toEqual(["late"]);
    expect(await list("?to=2026-02-01")).toEqual(["early"]);
  });

  it("sells credits once for each reference within the batch, and without one each time", async () => {
    const ada = await signUp(gateway);
    const { batch, path } = await issue(ada);
    const json = {
      quantity: 30,
      sold_on: "2026-11-02",
      buyer: "Globex",
      currency: "USD",
      reference: "INV-1",
    };
    const sale = await answer(post(ada, `${path}/sales`, { ...json, price: "8.750000001" }), 201, {
      id: expect.any(String),
      batch_id: batch.id,
      batch_reference: batch.reference,
      ...json,
      price: 8.750000001,
      price_exact: "8.750000001",
    });
    const other = post(ada, `${path}/sales`, { ...json, price: 9, buyer: null });
    await refused(other, 409, "The reference INV-1 already exists with a different buyer, price.");

    // The day defaults to today.
    const bare = { sold_on: TODAY, buyer: null, price: null, price_exact: null, currency: null };
    for (const _ of [1, 2])
      await answer(post(ada, `${path}/sales`, { quantity: 1 }), 201, expect.objectContaining(bare));
    const { items, next_cursor } = await answer(ada.call(`${path}/sales?limit=2`), 200);
    expect(items.map(({ sold_on }: Body) => sold_on)).toEqual([TODAY, TODAY]);
    await answer(ada.call(`${path}/sales?limit=2&cursor=${next_cursor}`), 200, page(sale));
    expect(await available(ada, path)).toBe(68);
  });

  it("reports all problems of a sale together", async () => {
    const ada = await signUp(gateway);
    const { path } = await issue(ada);
    const sell = (json: object) => post(ada, `${path}/sales`, json);
    const wrong = { quantity: 0, sold_on: "2026-11-21", price: "-1", reference: "bundle" };
    const { details } = await refused(sell(wrong), 422, [
      "quantity",
      "sold_on",
      "price",
      "currency",
      "reference",
    ]);
    expect([details[1].message, details[3].message]).toEqual([
      "sold_on must be from 1990-01-01 to today (2026-11-20 in UTC) (got 2026-11-21).",
      "currency is required with price.",
    ]);
    for (const [one, field] of [
      [{ price: "0.0000000001", currency: "EUR" }, "price"],
      [{ price: 1, currency: "euro" }, "currency"],
      [{ price: 1, currency: "XYZ" }, "currency"],
      [{ currency: "EUR" }, "price"],
      [{ sold_on: "2026-02-30" }, "sold_on"],
      [{ quantity: "ten" }, "quantity"],
      [{ quantity: 2 ** 53 }, "quantity"],
    ] as const)
      await refused(sell({ quantity: 1, ...one }), 422, [field]);
    expect(await available(ada, path)).toBe(100);
  });
});

describe("POST /v1/credits/batches/{id}/retirements", () => {
  it("retires credits permanently, once for each reference of the organization", async () => {
    const ada = await signUp(gateway);
    const { batch, path } = await issue(ada);
    const json = {
      quantity: 60,
      retired_on: "2026-11-01",
      beneficiary: "Acme Ltd",
      purpose: "Travel of 2025",
    };
    const named = { ...json, reference: "R-1" };
    const retirement = await answer(post(ada, `${path}/retirements`, named), 201, {
      id: expect.any(String),
      batch_id: batch.id,
      batch_reference: batch.reference,
      ...named,
      ccts_period_id: null,
    });
    const other = await issue(ada);
    const message = `is stored as ${batch.id}, got ${other.batch.id}`;
    await refused(post(ada, `${other.path}/retirements`, named), 409, { batch: message });
    for (const method of ["PATCH", "PUT", "DELETE"])
      expect((await ada.call(`/v1/credits/retirements/${retirement.id}`, { method })).status).toBe(405);
    const month = "from=2026-11-01&to=2026-11-01";
    for (const query of [`batch=${batch.id}`, `credit_type=vcs&${month}`, "to=2026-11-01"])
      await answer(ada.call(`/v1/credits/retirements?${query}`), 200, page(retirement));
    for (const query of [`batch=${other.batch.id}`, "from=2026-11-02"])
      await answer(ada.call(`/v1/credits/retirements?${query}`), 200, page());
  });

  it("never retires more than is available, even concurrently", async () => {
    const ada = await signUp(gateway);
    const { batch, path } = await issue(ada);
    const retire = () => post(ada, `${path}/retirements`, { quantity: 60 });
    const answers = (await Promise.all([retire(), retire()])).toSorted((one, two) => one.status - two.status);
    expect(answers[0]?.status).toBe(201);
    const message = `Too few credits: 40 of the batch ${batch.reference} are available, got 60.`;
    await refused(answers[1] as Body, 409, { quantity: message });
    expect(await available(ada, path)).toBe(40);
  });

  it("never deadlocks or oversells in many concurrent sales and retirements", async () => {
    const ada = await signUp(gateway);
    const batches = [await issue(ada), await issue(ada)];
    const calls = Array.from({ length: 40 }, (_, index) =>
      post(ada, `${batches[index % 2]?.path}/${index % 4 < 2 ? "sales" : "retirements"}`, { quantity: 7 }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    // Each batch of 100 has room for 14 × 7.
    expect(statuses.filter((status) => status === 201)).toHaveLength(28);
    expect(new Set(statuses)).toEqual(new Set([201, 409]));
    for (const { path } of batches) expect(await available(ada, path)).toBe(2);
  });
});
