import { beforeAll, describe, expect, it } from "vitest";
import { addBatch, addFacility, addPrice, addRecord, addRetirement } from "../support/fixtures.js";
import { type Envelope, makeKey, makeOrganization } from "../support/server.js";
import { useGateway } from "../support/use.js";

/** Tonnes per month from November 2025 to October 2026. */
const A = [112, 108, 115, 104, 110, 101, 103, 99, 105, 96, 98, 94];

let slug: string;
let key: string;
const gateway = useGateway();
beforeAll(async () => {
  slug = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, slug));
  await addFacility(gateway.database, slug, { code: "PUNE" });
  for (const [index, co2eTonnes] of A.entries()) {
    await addRecord(gateway.database, slug, { recordedOn: monthly(index), co2eTonnes, scope: "scope_2" });
  }
  // November 2026 is not over, so its records do not count.
  await addRecord(gateway.database, slug, { recordedOn: "2026-11-02", co2eTonnes: 9_999 });
});

/** The 15th of the month that is `index` months after November 2025. */
const monthly = (index: number) => new Date(Date.UTC(2025, 10 + index, 15)).toISOString().slice(0, 10);

async function read(path: string, value = key) {
  const { status, body } = await gateway.call<Envelope>(path, { headers: { "X-API-Key": value } });
  return status === 200 ? body.data : [status, body.error];
}
const point = (month: string, value: number, intervals: object) => ({
  month,
  value,
  raw: value,
  clamped: false,
  ...intervals,
});
const at95 = (lower: number, upper: number) => [{ level: 95, lower, upper }];

describe("GET /v1/emissions/forecast", () => {
  it("forecasts from complete months, with both intervals and a backtest", async () => {
    expect(await read("/v1/emissions/forecast?horizon=2&levels=95")).toEqual({
      module: "emissions",
      unit: "tCO2e",
      method: "ols",
      n: 12,
      window: { from: "2025-11", to: "2026-10" },
      excluded_months: [],
      model: {
        slope: -1.562937,
        intercept: 112.346154,
        r2: 0.739685,
        residual_sd: 3.506188,
        direction: "decreasing",
        p_value: 0.000333,
      },
      points: [
        point("2026-11", 93.591, { confidence: at95(88.783, 98.399), prediction: at95(84.418, 102.764) }),
        point("2026-12", 92.028, { confidence: at95(86.634, 97.422), prediction: at95(82.535, 101.521) }),
      ],
      backtest: {
        folds: 6,
        mae: 2.619,
        naive_mae: 4.5,
        wape_pct: 2.64,
        methods: [
          { method: "naive", mae: 4.5, wape_pct: 4.54 },
          { method: "ols", mae: 2.619, wape_pct: 2.64 },
        ],
      },
      notices: [],
    });
  });

  it("forecasts by the requested method, or the one with the smallest error", async () => {
    expect(await read("/v1/emissions/forecast?method=naive&horizon=1&levels=95")).toMatchObject({
      method: "naive",
      model: { slope: -1.562937 },
      points: [{ month: "2026-11", value: 94, confidence: [] }],
      backtest: { folds: 6, mae: 4.5, naive_mae: 4.5 },
      notices: [],
    });
    expect(await read("/v1/emissions/forecast?method=best&horizon=1")).toMatchObject({
      method: "ols",
      points: [{ value: 93.591 }],
      backtest: { folds: 6, mae: 2.619 },
    });
    const own = await makeOrganization(gateway.database);
    const { key: ownKey } = await makeKey(gateway.database, own);
    const season = [60, 55, 48, 40, 33, 28, 26, 31, 38, 45, 52, 58];
    for (let index = 0; index < 36; index += 1) {
      const co2eTonnes = (season[index % 12] ?? 0) + (index % 5 === 0 ? 1 : 0);
      await addRecord(gateway.database, own, { recordedOn: monthly(index - 24), co2eTonnes });
    }
    const path = "/v1/emissions/forecast?method=best&window=36&horizon=1";
    const best = (await read(path, ownKey)) as {
      method: string;
      backtest: { folds: number; methods: { method: string; mae: number }[] };
    };
    expect(best.backtest.methods.map(({ method }) => method)).toEqual([
      "naive",
      "seasonal_naive",
      "ols",
      "ols_seasonal",
    ]);
    const errors = new Map(best.backtest.methods.map(({ method, mae }) => [method, mae]));
    expect([best.backtest.folds, errors.get(best.method)]).toEqual([12, Math.min(...errors.values())]);
    expect(best.method).toMatch(/seasonal/);
    expect(await read("/v1/emissions/forecast?method=ols_seasonal")).toEqual([
      422,
      { code: "INSUFFICIENT_DATA", message: "Too few months with data: 24 are required, 12 are available." },
    ]);
  });

  it("filters by scope and facility", async () => {
    expect(await read("/v1/emissions/forecast?scope=scope_2")).toMatchObject({ n: 12 });
    const tooFew = [
      422,
      { code: "INSUFFICIENT_DATA", message: "Too few months with data: 6 are required, 0 are available." },
    ];
    expect(await read("/v1/emissions/forecast?scope=scope_1")).toEqual(tooFew);
    expect(await read("/v1/emissions/forecast?facility=PUNE")).toEqual(tooFew);
  });

  it.each([
    ["horizon=0", "query.horizon: expected 1 to 12, got 0"],
    ["horizon=13", "query.horizon: expected 1 to 12, got 13"],
    ["window=5", "query.window: expected 6 to 60, got 5"],
    ["levels=0", "query.levels: expected percentages above 0 and below 100, got 0"],
    ["levels=80,100", "query.levels: expected percentages above 0 and below 100, got 100"],
    ["levels=101", "query.levels: expected percentages above 0 and below 100, got 101"],
    ["facility=NONE", 'query.facility: expected the code of a facility, got "NONE"'],
  ])("refuses %s", async (query, message) => {
    expect(await read(`/v1/emissions/forecast?${query}`)).toEqual([400, { code: "BAD_REQUEST", message }]);
  });

  it("uses only the tenant's records", async () => {
    const other = await makeKey(gateway.database, await makeOrganization(gateway.database));
    expect(await read("/v1/emissions/forecast", other.key)).toMatchObject([
      422,
      { code: "INSUFFICIENT_DATA" },
    ]);
  });
});

describe("GET /v1/emissions/predictions", () => {
  it("predicts 1, 3 and 6 months ahead, with cumulative sums", async () => {
    const { predictions } = (await read("/v1/emissions/predictions?levels=95")) as {
      predictions: {
        horizon: number;
        month: { value: number };
        cumulative: { value: number; prediction: object };
      }[];
    };
    expect(
      predictions.map(({ horizon, month, cumulative }) => [
        horizon,
        month.value,
        cumulative.value,
        cumulative.prediction,
      ]),
    ).toEqual([
      [1, 93.591, 93.591, at95(84.418, 102.764)],
      [3, 90.465, 276.084, at95(254.99, 297.177)],
      [6, 85.776, 538.101, at95(495.748, 580.455)],
    ]);
  });

  it("predicts by the method with the smallest error", async () => {
    expect(await read("/v1/emissions/predictions?method=best&levels=95")).toEqual(
      await read("/v1/emissions/predictions?method=ols&levels=95"),
    );
  });

  it("predicts the same months of the year before, given two years of data", async () => {
    expect(await read("/v1/emissions/predictions?method=seasonal_naive")).toMatchObject([
      422,
      { code: "INSUFFICIENT_DATA", message: "Too few months with data: 24 are required, 12 are available." },
    ]);
    const own = await makeOrganization(gateway.database);
    const { key: ownKey } = await makeKey(gateway.database, own);
    for (const [index, co2eTonnes] of [...A, ...A.map((amount) => amount + 3)].entries()) {
      await addRecord(gateway.database, own, { recordedOn: monthly(index - 12), co2eTonnes });
    }
    const answer = (await read("/v1/emissions/predictions?method=seasonal_naive&levels=95", ownKey)) as {
      predictions: { month: object; cumulative: object }[];
    };
    expect(answer).toMatchObject({ method: "seasonal_naive", n: 24 });
    // Each month is 3 above the year before, so the bounds are ±1.959964 · 3, times √3 for three months.
    expect(answer.predictions[1]).toEqual({
      horizon: 3,
      month: point("2027-01", 118, { confidence: [], prediction: at95(112.12, 123.88) }),
      cumulative: { value: 344, raw: 344, clamped: false, prediction: at95(333.816, 354.184) },
    });
  });
});

describe("GET /v1/{module}/forecast", () => {
  it("forecasts retired credits, counting months without retirements as 0", async () => {
    const batch = await addBatch(gateway.database, slug, { reference: "B-1", quantity: 100 });
    for (const [index, quantity] of [
      [6, 10],
      [11, 4],
    ] as const) {
      await addRetirement(gateway.database, batch, { quantity, retiredOn: monthly(index) });
    }
    expect(await read("/v1/credits/forecast?horizon=1")).toMatchObject({
      module: "credits",
      unit: "credits",
      n: 6,
      excluded_months: [],
      window: { from: "2026-05", to: "2026-10" },
      backtest: null,
    });
  });

  it("forecasts a price from the last of each month, without cumulative sums", async () => {
    const prices = [60, 61, 62, 63, 64, 65];
    for (const [index, price] of prices.entries()) {
      await addPrice(gateway.database, slug, {
        creditType: "EUA",
        exchange: "EEX",
        price,
        asOf: monthly(index + 6),
      });
    }
    await addPrice(gateway.database, slug, {
      creditType: "EUA",
      exchange: "EEX",
      price: 1,
      asOf: "2026-05-02",
    });
    const path = "/v1/market/predictions?credit_type=eua&exchange=eex&levels=95";
    const { unit, n, predictions } = (await read(path)) as { unit: string; n: number; predictions: object[] };
    expect([unit, n, predictions[0]]).toEqual([
      "EUR",
      6,
      {
        horizon: 1,
        month: point("2026-11", 66, { confidence: at95(66, 66), prediction: at95(66, 66) }),
        cumulative: null,
      },
    ]);
    expect(await read("/v1/market/forecast?credit_type=EUA&exchange=NYSE")).toEqual([
      404,
      { code: "NOT_FOUND", message: 'There is no price of "EUA" on "NYSE" up to 2026-10.' },
    ]);
  });

  it("refuses unknown modules and those without monthly amounts", async () => {
    expect(await read("/v1/compliance/forecast")).toMatchObject([422, { code: "NOT_SUPPORTED_FOR_MODULE" }]);
    expect(await read("/v1/verification/predictions")).toMatchObject([
      422,
      { code: "NOT_SUPPORTED_FOR_MODULE" },
    ]);
    expect(await read("/v1/weather/forecast")).toMatchObject([404, { code: "NOT_FOUND" }]);
  });
});
