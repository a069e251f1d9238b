import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addFeed, addPrice } from "../support/fixtures.js";
import { requestRaw } from "../support/raw.js";
import { makeKey, makeOrganization, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const REQUEST_ID = "3f0c1a52-6f4e-4c8b-9d57-2b8a9c0e7d15";
const META = { request_id: REQUEST_ID, timestamp: "2026-11-20T10:00:00.000Z", version: "1.0" };

let acme: string;
let rival: string;
let key: string;
let rivalKey: string;

const gateway = useGateway();
beforeAll(async () => {
  acme = await makeOrganization(gateway.database);
  rival = await makeOrganization(gateway.database, "Rival");
  ({ key } = await makeKey(gateway.database, acme));
  ({ key: rivalKey } = await makeKey(gateway.database, rival));
});
beforeEach(async () => {
  gateway.setNow(NOW);
  await gateway.database.prisma.marketPrice.deleteMany();
  await gateway.database.prisma.exchangeFeed.deleteMany();
});

const add = (owner: string | null, overrides: Parameters<typeof addPrice>[2]) =>
  addPrice(gateway.database, owner, overrides);

interface Market {
  prices: { credit_type: string; exchange: string; price: number }[];
  live_feed_connected: boolean;
  message: string | null;
}
const data = async (by = key) => (await gateway.rest("/market", by)).body.data as Market;
const prices = async (by = key) => (await data(by)).prices.map(({ price }) => price);

describe.each(["/api/v1/ext/v1", "/ext/v1"])("GET %s/market", (prefix) => {
  const answer = async () => {
    const headers = [["X-API-Key", key] as const, ["X-Request-Id", REQUEST_ID] as const];
    const { status, body } = await requestRaw(`${gateway.url}${prefix}/market`, { headers });
    return { status, body };
  };

  it("answers this exact JSON, with a message, if no price exists", async () => {
    expect(await answer()).toEqual({
      status: 200,
      body: JSON.stringify({
        success: true,
        data: { prices: [], live_feed_connected: false, message: "No live exchange feed connected" },
        error: null,
        meta: META,
      }),
    });
  });

  it("answers this exact JSON, without a message, for several prices", async () => {
    await add(null, {
      creditType: "CBAM_CERTIFICATE",
      exchange: "EU Commission",
      price: "82.32",
      changePct24h: null,
      source: "Price of CBAM certificates",
      sourceUrl: "https://example.org/price-cbam-certificates_en",
      asOf: "2026-10-05",
      recordedAt: "2026-10-06T08:00:00.000Z",
    });
    await add(null, {
      creditType: "CCC",
      exchange: "IEX",
      price: 790,
      currency: "INR",
      changePct24h: "-1.25",
      priceType: "exchange_feed",
      source: "IEX feed",
      sourceUrl: null,
      asOf: null,
      recordedAt: "2026-11-20T09:59:59.123Z",
    });

    expect(await answer()).toEqual({
      status: 200,
      body: JSON.stringify({
        success: true,
        data: {
          prices: [
            {
              credit_type: "CBAM_CERTIFICATE",
              exchange: "EU Commission",
              price: 82.32,
              currency: "EUR",
              change_pct_24h: null,
              price_type: "reference",
              source: "Price of CBAM certificates",
              source_url: "https://example.org/price-cbam-certificates_en",
              as_of: "2026-10-05",
              updated_at: "2026-10-06T08:00:00.000Z",
            },
            {
              credit_type: "CCC",
              exchange: "IEX",
              price: 790,
              currency: "INR",
              change_pct_24h: -1.25,
              price_type: "exchange_feed",
              source: "IEX feed",
              source_url: null,
              as_of: null,
              updated_at: "2026-11-20T09:59:59.123Z",
            },
          ],
          live_feed_connected: false,
          message: null,
        },
        error: null,
        meta: META,
      }),
    });
  });
});

describe("prices of GET /ext/v1/market", () => {
  it("are the latest by the day they apply to, not by when they were recorded", async () => {
    await add(null, { price: 1, asOf: "2026-11-17", recordedAt: "2026-11-20T09:00:00.000Z" });
    await add(null, { price: 2, asOf: "2026-11-19", recordedAt: "2026-11-19T18:00:00.000Z" });
    await add(null, { price: 3, asOf: "2026-11-18", recordedAt: "2026-11-20T08:00:00.000Z" });
    await add(null, { price: 4, asOf: null, recordedAt: "2026-11-20T09:30:00.000Z" });

    expect(await prices()).toEqual([2]);
  });

  it.each([
    ["own", "2026-11-19T12:00:00.001Z", "2026-11-19T12:00:00.000Z", 1],
    ["platform's", "2026-11-19T12:00:00.000Z", "2026-11-19T12:00:00.001Z", 2],
  ])("for the same day are the latest recorded: the %s", async (_whose, ownAt, platformAt, latest) => {
    await add(acme, { price: 1, asOf: "2026-11-19", recordedAt: ownAt });
    await add(null, { price: 2, asOf: "2026-11-19", recordedAt: platformAt });

    expect(await prices()).toEqual([latest]);
  });

  it("without a day are the latest recorded", async () => {
    await add(acme, { price: 1, asOf: null, recordedAt: "2026-11-19T12:00:00.000Z" });
    await add(null, { price: 2, asOf: null, recordedAt: "2026-11-18T12:00:00.000Z" });

    expect(await prices()).toEqual([1]);
  });

  it("are the platform's and the tenant's own, never another tenant's", async () => {
    await add(null, { creditType: "EUA", price: 1 });
    await add(acme, { creditType: "VCS", price: 2 });
    await add(rival, { creditType: "CCC", price: 3 });
    // Newer than the platform's price, but visible only to its owner.
    await add(rival, { creditType: "EUA", price: 4, asOf: "2026-11-20" });

    expect(await prices(key)).toEqual([1, 2]);
    expect(await prices(rivalKey)).toEqual([3, 4]);
  });

  it("are one for each credit type and exchange, sorted by both in byte order", async () => {
    for (const [creditType, exchange] of [
      ["VCS", "Xpansiv"],
      ["EUA", "ice"],
      ["EUA", "ICE"],
      ["EUA", "EEX"],
      ["CCC", "PXIL"],
      ["CCC", "IEX"],
    ] as const) {
      await add(null, { creditType, exchange, asOf: "2026-11-17" });
      await add(null, { creditType, exchange, asOf: "2026-11-18" });
    }

    expect((await data()).prices.map(({ credit_type, exchange }) => [credit_type, exchange])).toEqual([
      ["CCC", "IEX"],
      ["CCC", "PXIL"],
      ["EUA", "EEX"],
      ["EUA", "ICE"],
      ["EUA", "ice"],
      ["VCS", "Xpansiv"],
    ]);
  });

  it("appear from the day they apply to", async () => {
    await add(null, { price: 1, asOf: "2026-11-19" });
    await add(null, { price: 2, asOf: "2026-11-20" });
    await add(null, { price: 3, asOf: "2026-11-21" });
    await add(null, { creditType: "VCS", price: 4, asOf: "2026-11-22" });
    expect(await prices()).toEqual([2]);

    gateway.setNow(new Date("2026-11-20T23:59:59.999Z"));
    expect(await prices()).toEqual([2]);
    gateway.setNow(new Date("2026-11-21T00:00:00.000Z"));
    expect(await prices()).toEqual([3]);
    gateway.setNow(new Date("2026-11-22T00:00:00.000Z"));
    expect(await prices()).toEqual([3, 4]);
  });

  it("keep 9 decimals", async () => {
    await add(null, { price: "1234567.000000001", changePct24h: "0.000000001" });

    expect((await data()).prices).toEqual([
      {
        credit_type: "EUA",
        exchange: "EEX",
        price: 1234567.000000001,
        currency: "EUR",
        change_pct_24h: 0.000000001,
        price_type: "reference",
        source: "EEX auction report",
        source_url: null,
        as_of: "2026-11-18",
        updated_at: "2026-11-18T12:00:00.000Z",
      },
    ]);
  });
});

describe("live_feed_connected of GET /ext/v1/market", () => {
  const ago = (ms: number) => new Date(NOW.getTime() - ms);

  it.each([
    ["true if the feed reported just now", 0, true],
    ["true if it reported exactly 5 minutes ago", 300_000, true],
    ["false if it reported a millisecond earlier", 300_001, false],
  ])("is %s", async (_what, ms, connected) => {
    await addFeed(gateway.database, ago(ms));
    expect((await data()).live_feed_connected).toBe(connected);
  });

  it("is false if the feed has never reported", async () => {
    await addFeed(gateway.database, null);
    expect((await data()).live_feed_connected).toBe(false);
  });

  it("is true while any feed reports, and turns false 5 minutes after the last report", async () => {
    await addFeed(gateway.database, null);
    await addFeed(gateway.database, ago(3_600_000));
    await addFeed(gateway.database, ago(60_000));
    expect((await data()).live_feed_connected).toBe(true);

    gateway.setNow(new Date(NOW.getTime() + 240_001));
    expect((await data()).live_feed_connected).toBe(false);
  });

  it("is true for a report up to a minute ahead, and ignores one further ahead until then", async () => {
    await addFeed(gateway.database, ago(-60_000));
    expect((await data()).live_feed_connected).toBe(true);

    await gateway.database.prisma.exchangeFeed.deleteMany();
    await addFeed(gateway.database, ago(-60_001));
    await addFeed(gateway.database, new Date("2099-01-01T00:00:00.000Z"));
    await addFeed(gateway.database, ago(600_000));
    expect((await data()).live_feed_connected).toBe(false);
    gateway.setNow(new Date(NOW.getTime() + 1));
    expect((await data()).live_feed_connected).toBe(true);
    gateway.setNow(new Date(NOW.getTime() + 360_002));
    expect((await data()).live_feed_connected).toBe(false);
  });

  it("is true despite another feed's report from the future", async () => {
    await addFeed(gateway.database, new Date("2099-01-01T00:00:00.000Z"));
    await addFeed(gateway.database, ago(60_000));
    expect((await data()).live_feed_connected).toBe(true);
  });

  it("does not affect the message about missing prices", async () => {
    await add(null, {});
    expect(await data()).toMatchObject({ live_feed_connected: false, message: null });

    await addFeed(gateway.database, NOW);
    expect(await data()).toMatchObject({ live_feed_connected: true, message: null });
  });
});
