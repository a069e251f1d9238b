import { beforeEach, describe, expect, it } from "vitest";
import { answer, refused } from "../support/answers.js";
import { addFeed, addPrice } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type Envelope, makeKey, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PRICES = "/v1/markets/prices";
const EUA = {
  credit_type: "EUA",
  exchange: "EEX",
  as_of: "2026-11-19",
  price: 81.5,
  currency: "EUR",
  source: "EEX auction report",
  source_url: "https://example.org/auction",
};

const gateway = useGateway();
beforeEach(async () => {
  gateway.setNow(NOW);
  await gateway.database.prisma.marketPrice.deleteMany();
  await gateway.database.prisma.exchangeFeed.deleteMany();
});

interface Market {
  prices: { credit_type: string; price: number; age_days: number | null; stale: boolean }[];
  live_feed_connected: boolean;
  message: string | null;
}
const record = (person: TestPerson, changed: object = {}) =>
  person.call(PRICES, { json: { ...EUA, ...changed } });
const marketOf = async (person: TestPerson, geography: string) =>
  (await person.call(`/v1/markets/${geography}`)).body.data as Market;
const pricesOf = async (person: TestPerson, geography: string) =>
  (await marketOf(person, geography)).prices.map(({ price }) => price);

describe("GET /v1/markets/{geography}", () => {
  it("lists the latest price of each instrument in the region, with its age", async () => {
    const ada = await signUp(gateway);
    const { key } = await makeKey(gateway.database, ada.organization.slug, { scopes: ["read:market"] });
    const price = { sourceUrl: "https://example.org/iex", asOf: "2021-10-26", price: "250", currency: "INR" };
    await addPrice(gateway.database, null, {
      ...price,
      creditType: "ESCert",
      exchange: "IEX",
      region: "India",
      unit: "ESCert (1 toe)",
    });
    await addPrice(gateway.database, null, { region: "EU" });
    await addFeed(gateway.database, NOW);
    const answer = await gateway.call<Envelope>("/api/v1/markets/india", { headers: { "X-API-Key": key } });
    expect([answer.status, answer.body.data]).toEqual([
      200,
      {
        geography: "india",
        prices: [
          {
            id: expect.any(String),
            credit_type: "ESCert",
            exchange: "IEX",
            price: 250,
            currency: "INR",
            change_pct_24h: null,
            price_type: "reference",
            source: "EEX auction report",
            source_url: "https://example.org/iex",
            as_of: "2021-10-26",
            updated_at: "2026-11-18T12:00:00.000Z",
            region: "India",
            contract: null,
            unit: "ESCert (1 toe)",
            age_days: 1851,
            stale: true,
          },
        ],
        live_feed_connected: true,
        message: "No CCC trade price recorded yet",
      },
    ]);
  });

  it("matches regions in any case, and lists other regions and none as global", async () => {
    const ada = await signUp(gateway);
    const regions = [
      ...["India", "SINGAPORE", "EU", "New Zealand"].map((region) => ({ region, creditType: region })),
      { creditType: "none" },
    ];
    for (const [n, values] of regions.entries())
      await addPrice(gateway.database, null, { ...values, price: n });
    expect(await pricesOf(ada, "india")).toEqual([0]);
    expect(await pricesOf(ada, "singapore")).toEqual([1]);
    expect(await pricesOf(ada, "global")).toEqual([2, 3, 4]);
  });

  it("reports a missing CCC price in India, and elsewhere that no price exists", async () => {
    const ada = await signUp(gateway);
    const messages = async () => {
      const markets = [];
      for (const geography of ["india", "singapore", "global"]) markets.push(await marketOf(ada, geography));
      return markets.map(({ message }) => message);
    };
    const none = "No price recorded yet";
    expect(await messages()).toEqual(["No CCC trade price recorded yet", none, none]);
    await record(ada, { credit_type: "ESCert" });
    await record(ada, { credit_type: "CCS_offset" });
    expect(await messages()).toEqual(["No CCC trade price recorded yet", null, none]);
    await record(ada, { credit_type: "CCC" });
    await record(ada);
    expect(await messages()).toEqual([null, null, null]);
  });

  it.each([
    ["35 days old", { asOf: "2026-10-16" }, 35, false],
    ["36 days old", { asOf: "2026-10-15" }, 36, true],
    ["without a day", { asOf: null }, null, true],
    [
      "a statutory rate, in force for the last day",
      { asOf: "2024-01-01", statutoryUntil: "2026-11-20" },
      1054,
      false,
    ],
    ["a statutory rate that ended yesterday", { asOf: "2026-11-01", statutoryUntil: "2026-11-19" }, 19, true],
  ])("marks stale prices: %s", async (_what, values, age_days, stale) => {
    const ada = await signUp(gateway);
    await addPrice(gateway.database, null, values);
    expect((await marketOf(ada, "global")).prices).toMatchObject([{ age_days, stale }]);
  });

  it("answers 404 for another geography", async () => {
    const ada = await signUp(gateway);
    for (const geography of ["eu", "India", "india/x"])
      expect((await ada.call(`/v1/markets/${geography}`)).status).toBe(404);
  });
});

describe("POST /v1/markets/prices", () => {
  it("records the organization's own price once a day, over REST and GraphQL", async () => {
    const ada = await signUp(gateway);
    const made = await record(ada, { price: "81.500000001", contract: "Dec-26", region: "EU" });
    const price = {
      ...EUA,
      price: 81.500000001,
      price_exact: "81.500000001",
      contract: "Dec-26",
      region: "EU",
      id: expect.any(String),
      change_pct_24h: null,
      price_type: "reference",
      unit: "tCO2e",
      updated_at: NOW.toISOString(),
      age_days: 1,
      stale: false,
      statutory_until: null,
    };
    expect([made.status, made.body.data]).toEqual([201, price]);
    const { id } = made.body.data as { id: string };
    const RECORD = `mutation ($input: RecordPriceInput!) { recordPrice(input: $input) { isNew price { id priceExact isOwn } } }`;
    const input = {
      creditType: "EUA",
      exchange: "EEX",
      asOf: "2026-11-19",
      price: "81.500000001",
      currency: "EUR",
      source: EUA.source,
      sourceUrl: EUA.source_url,
      contract: "Dec-26",
      region: "EU",
    };
    const { body } = await ada.graphql(RECORD, { input });
    expect(body.data.recordPrice).toEqual({
      isNew: false,
      price: { id, priceExact: "81.500000001", isOwn: true },
    });
  });

  it("refuses another price or source for the day", async () => {
    const ada = await signUp(gateway);
    await answer(record(ada), 201);
    const other = record(ada, { price: 82, source_url: "https://example.org/other" });
    const message =
      "The price of EUA on EEX of 2026-11-19 already exists with a different price, source_url.";
    await refused(other, 409, message);
  });

  it("derives a missing region from the credit type", async () => {
    const ada = await signUp(gateway);
    await record(ada, { credit_type: "CCC", price: 900 });
    await record(ada, { credit_type: "SG_CARBON_TAX", price: 45 });
    expect(await pricesOf(ada, "india")).toEqual([900]);
    expect(await pricesOf(ada, "singapore")).toEqual([45]);
  });

  it.each(["source_url", "source", "as_of", "price", "currency", "exchange", "credit_type"])(
    "refuses a price without %s",
    async (name) => {
      await refused(record(await signUp(gateway), { [name]: undefined }), 422, [name]);
    },
  );

  it.each([
    ["as_of", "2026-11-21"],
    ["as_of", "1989-12-31"],
    ["price", -1],
    ["price", "0.0000000001"],
    ["price", 1e15],
    ["currency", "XYZ"],
    ["currency", "eur"],
    ["source_url", "example.org"],
    ["source_url", "ftp://example.org"],
    ["source", " "],
    ["region", ""],
    ["unit", "x".repeat(201)],
    ["statutory_until", "2026-11-18"],
  ])("refuses the %s %s", async (path, given) => {
    await refused(record(await signUp(gateway), { [path]: given }), 422, [path]);
  });

  it("shows a price at once, within the organization only", async () => {
    const [ada, stranger] = [await signUp(gateway), await signUp(gateway)];
    const { key } = await makeKey(gateway.database, ada.organization.slug);
    const asKey = async () => ((await gateway.rest("/market", key)).body.data as Market).prices;
    await addPrice(gateway.database, null, { asOf: "2026-11-18", price: 80 });
    for (const person of [ada, stranger]) expect(await pricesOf(person, "global")).toEqual([80]);
    expect(await asKey()).toMatchObject([{ price: 80 }]);
    await answer(record(ada), 201);
    expect(await pricesOf(ada, "global")).toEqual([81.5]);
    expect(await asKey()).toMatchObject([{ price: 81.5 }]);
    expect(await pricesOf(stranger, "global")).toEqual([80]);
  });
});
