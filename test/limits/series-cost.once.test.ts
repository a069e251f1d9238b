import { expect, it } from "vitest";
import { chargeForSeries } from "../../src/limits/cost/series-cost.js";

it("charges for each series, and refuses all others once the tier's points are spent", () => {
  const operation = { principal: { tier: "free" as const }, record: { cost: 20 as number | undefined } };
  chargeForSeries(operation, { scored: 18_000 });
  chargeForSeries(operation, { compared: 18_000 });
  expect(operation.record.cost).toBe(2_000);
  expect(() => chargeForSeries(operation, { scored: 18_000 })).toThrow(
    "at least 3800 cost points; at most 2500",
  );
  expect(() => chargeForSeries(operation, {})).toThrow("at most 2500 are allowed");
});
