import { readFile } from "node:fs/promises";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addPrice } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type Envelope, makeKey, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/markets/price-index";

let ada: TestPerson;
const gateway = useGateway();
beforeAll(async () => {
  ada = await signUp(gateway);
  await gateway.database.prisma.priceIndex.create({
    data: {
      code: "three",
      name: "Three",
      baseDate: new Date("2026-10-01"),
      weights: {
        create: Object.entries({ EUA: ".6", UKA: ".25", CCA: ".15" }).map(([creditType, weight]) => ({
          creditType,
          exchange: "X",
          weight,
          validFrom: new Date("2026-10-01"),
        })),
      },
    },
  });
});
beforeEach(async () => {
  gateway.setNow(NOW);
  await gateway.database.prisma.marketPrice.deleteMany();
});

interface Index {
  values: { date: string; value: number | null; constituents: object[]; excluded: object[] }[];
  message: string | null;
}
const ask = (query: string, person = ada) => person.call(`${PATH}?${query}`);
const indexOf = async (query: string, person = ada) => (await ask(query, person)).body.data as Index;
const valuesOf = async (query: string, person = ada) =>
  (await indexOf(query, person)).values.map(({ value }) => value);

/** Adds prices of a credit type by day. */
async function add(creditType: string, days: Readonly<Record<string, number>>, owner: string | null = null) {
  for (const [asOf, price] of Object.entries(days))
    await addPrice(gateway.database, owner, { creditType, exchange: "X", asOf, price });
}
async function addThree() {
  await add("EUA", { "2026-10-15": 80, "2026-10-16": 88, "2026-11-19": 88, "2026-11-20": 84 });
  await add("UKA", { "2026-10-15": 50, "2026-10-16": 47.5, "2026-11-19": 47.5 });
  await add("CCA", { "2026-10-14": 30, "2026-10-16": 29.27 });
}

describe("GET /v1/markets/price-index", () => {
  it("lists each day's value with its constituents and exclusions", async () => {
    gateway.setNow(new Date("2026-11-21T00:00:00Z"));
    await addThree();
    const { key } = await makeKey(gateway.database, ada.organization.slug, { scopes: ["read:market"] });
    const query = "index=three&from=2026-11-20&to=2026-11-21";
    const answer = await gateway.call<Envelope>(`/api${PATH}?${query}`, { headers: { "X-API-Key": key } });
    const eua = {
      credit_type: "EUA",
      exchange: "X",
      weight: 0.6,
      price: 84,
      currency: "EUR",
      as_of: "2026-11-20",
    };
    const uka = {
      credit_type: "UKA",
      exchange: "X",
      weight: 0.25,
      price: 47.5,
      currency: "EUR",
      as_of: "2026-11-19",
    };
    const cca = {
      credit_type: "CCA",
      exchange: "X",
      weight: 0.15,
      price: 29.27,
      currency: "EUR",
      as_of: "2026-10-16",
    };
    expect([answer.status, answer.body.data]).toEqual([
      200,
      {
        index: "three",
        base_date: "2026-10-01",
        base_value: 100,
        methodology_version: 1,
        values: [
          {
            // 104.385 × (0.6 × 84 / 88 + 0.25 + 0.15)
            date: "2026-11-20",
            value: 101.54,
            assessed: true,
            constituents: [
              { ...cca, age_days: 35, carried_forward: true },
              { ...eua, age_days: 0, carried_forward: false },
              { ...uka, age_days: 1, carried_forward: true },
            ],
            excluded: [],
          },
          {
            date: "2026-11-21",
            value: 101.54,
            assessed: true,
            constituents: [
              { ...eua, age_days: 1, carried_forward: true },
              { ...uka, age_days: 2, carried_forward: true },
            ],
            excluded: [{ credit_type: "CCA", reason: "stale" }],
          },
        ],
        message: null,
      },
    ]);
  });

  it("computes 104.39, and 101.04 once CCA is stale", async () => {
    await add("EUA", { "2026-10-01": 80, "2026-10-02": 88, "2026-11-06": 88, "2026-11-08": 84 });
    await add("UKA", { "2026-10-01": 50, "2026-10-02": 47.5, "2026-11-06": 47.5 });
    await add("CCA", { "2026-10-01": 30, "2026-10-02": 29.27 });
    expect(await valuesOf("index=three&from=2026-10-01&to=2026-10-02")).toEqual([100, 104.39]);
    expect(await valuesOf("index=three&from=2026-11-06&to=2026-11-08")).toEqual([104.39, 104.39, 101.04]);
  });

  it("recomputes from the day of a price that arrives late", async () => {
    await add("EUA", { "2026-10-01": 100, "2026-10-03": 120 });
    const query = "index=three&from=2026-10-01&to=2026-10-03";
    expect(await valuesOf(query)).toEqual([100, 100, 120]);
    await add("EUA", { "2026-10-02": 110 });
    expect(await valuesOf(query)).toEqual([100, 110, 120]);
    // UKA is added on 2 October, and counts from 3 October.
    await add("UKA", { "2026-10-02": 50, "2026-10-03": 100 });
    // 110 × (0.6 × 120 / 110 + 0.25 × 2) / 0.85
    expect(await valuesOf(query)).toEqual([100, 110, 149.41]);
  });

  it("counts an organization's own prices at once, but only in its own index", async () => {
    const bob = await signUp(gateway);
    await add("EUA", { "2026-10-01": 100, "2026-10-02": 110 });
    const query = "index=three&from=2026-10-02&to=2026-10-02";
    for (const person of [ada, bob]) expect(await valuesOf(query, person)).toEqual([110]);
    const json = {
      credit_type: "EUA",
      exchange: "X",
      as_of: "2026-10-02",
      price: 130,
      currency: "EUR",
      source: "Broker",
      source_url: "https://example.org",
    };
    expect((await bob.call("/v1/markets/prices", { json })).status).toBe(201);
    expect(await valuesOf(query, bob)).toEqual([130]);
    expect(await valuesOf(query)).toEqual([110]);
  });

  it("defaults to 30 days of the global index, with a message if no day has a value", async () => {
    const { values, message, ...rest } = await indexOf("");
    expect(rest).toEqual({
      index: "global",
      base_date: "2026-01-02",
      base_value: 100,
      methodology_version: 1,
    });
    expect([values.length, values[0]?.date, values.at(-1)?.date]).toEqual([30, "2026-10-22", "2026-11-20"]);
    expect(values.at(-1)).toEqual({
      date: "2026-11-20",
      value: null,
      assessed: false,
      constituents: [],
      excluded: ["CCA", "CEA", "EUA", "NZU", "UKA"].map((credit_type) => ({
        credit_type,
        reason: "no_price",
      })),
    });
    expect(message).toBe("No instrument of the index had a fresh price on these days");
  });

  it("matches an independent calculation from the sample's cited prices", async () => {
    const sample = JSON.parse(await readFile("prisma/sample/reference.json", "utf8"));
    for (const price of sample.market_prices) {
      const { credit_type: creditType, exchange, currency, as_of: asOf } = price;
      await addPrice(gateway.database, null, { creditType, exchange, currency, asOf, price: price.price });
    }
    const { values } = await indexOf("from=2026-01-01&to=2026-11-20");
    const changes = values.filter(({ value }, at) => value !== values[at - 1]?.value);
    expect(changes.map(({ date, value }) => [date, value])).toEqual([
      ["2026-01-01", null],
      ["2026-01-02", 100],
      ["2026-03-04", 84.2],
      ["2026-04-09", null],
      ["2026-06-15", 84.2],
      ["2026-07-03", 86],
      ["2026-08-08", null],
    ]);
  });

  it("covers at most 400 days, inclusive", async () => {
    expect((await indexOf("from=2025-10-17&to=2026-11-20")).values).toHaveLength(400);
    expect((await ask("from=2025-10-16&to=2026-11-20")).body.error).toEqual({
      code: "VALIDATION_FAILED",
      message: "from must be at most 400 days before the end, both days included (got 401).",
      details: [
        {
          path: "from",
          message: "from must be at most 400 days before the end, both days included (got 401).",
        },
      ],
    });
  });

  it.each([
    ["days in the wrong order", "from=2026-11-02&to=2026-11-01", 422, "VALIDATION_FAILED"],
    ["a future day", "to=2026-11-21", 422, "VALIDATION_FAILED"],
    ["an invalid day", "to=2026-02-30", 400, "BAD_REQUEST"],
    ["an unknown index", "index=Global", 404, "NOT_FOUND"],
    ["an unknown parameter", "until=2026-11-01", 400, "BAD_REQUEST"],
  ])("refuses %s", async (_what, query, status, code) => {
    const answer = await ask(query);
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  });
});

describe("{ market { priceIndex } }", () => {
  it("lists every instrument of each day, with the reason for an exclusion", async () => {
    await addThree();
    const { body } =
      await ada.graphql(`{ market { priceIndex(index: "three", from: "2026-10-15", to: "2026-10-15") {
      index name baseDate baseValue staleAfterDays methodologyVersion from to message
      values { date value isAssessed instruments { creditType weight excluded price asOf ageDays isCarriedForward } }
    } } }`);
    expect(body.data.market.priceIndex).toEqual({
      index: "three",
      name: "Three",
      baseDate: "2026-10-01",
      baseValue: 100,
      staleAfterDays: 35,
      methodologyVersion: 1,
      from: "2026-10-15",
      to: "2026-10-15",
      message: null,
      values: [
        {
          date: "2026-10-15",
          value: 100,
          isAssessed: true,
          instruments: [
            {
              creditType: "CCA",
              weight: 0.15,
              excluded: null,
              price: 30,
              asOf: "2026-10-14",
              ageDays: 1,
              isCarriedForward: true,
            },
            {
              creditType: "EUA",
              weight: 0.6,
              excluded: "NEW",
              price: 80,
              asOf: "2026-10-15",
              ageDays: 0,
              isCarriedForward: false,
            },
            {
              creditType: "UKA",
              weight: 0.25,
              excluded: "NEW",
              price: 50,
              asOf: "2026-10-15",
              ageDays: 0,
              isCarriedForward: false,
            },
          ],
        },
      ],
    });
  });
});
