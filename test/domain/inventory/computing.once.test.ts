import { describe, expect, it } from "vitest";
import { roundRoot } from "../../../src/domain/fractions.js";
import { computeMarket, type ElectricityClaim } from "../../../src/domain/inventory/scope-2.js";
import { createSpans, type HeldEntity, type Holding } from "../../../src/domain/inventory/shares.js";
import { combineUncertainty } from "../../../src/domain/inventory/uncertainty.js";

const held = (from: string, equityShare: string, others: Partial<Holding> = {}): Holding => ({
  from,
  equityShare,
  financialControl: "full",
  operationalControl: true,
  ...others,
});

describe("shares", () => {
  const chain: HeldEntity[] = [
    { id: "c", parentId: null, holdings: [held("2020-01-01", "0.9000")] },
    { id: "d", parentId: "c", holdings: [held("2025-04-01", "0.8000"), held("2025-10-01", "0.5000")] },
  ];
  const [, d] = chain as [HeldEntity, HeldEntity];

  it("multiply along the chain, month by month, and are zero before the first holding", () => {
    expect(createSpans(chain, "equity_share", "2025-01-01", null)(d)).toEqual([
      { entityId: "d", from: "2025-01-01", to: "2025-03-01", share: "0" },
      { entityId: "d", from: "2025-04-01", to: "2025-09-01", share: "0.72" },
      { entityId: "d", from: "2025-10-01", to: "2025-12-01", share: "0.45" },
    ]);
  });

  it("are those of one given month", () => {
    expect(createSpans(chain, "equity_share", "2020-07-01", "2026-02-01")(d)).toEqual([
      { entityId: "d", from: "2020-07-01", to: "2021-06-01", share: "0.45" },
    ]);
  });

  it("keep every digit of five levels", () => {
    const levels = ["a", "b", "c", "d", "e"].map((id, index, ids) => ({
      id,
      parentId: ids[index - 1] ?? null,
      holdings: [held("2000-01-01", "0.3333")],
    }));
    const spans = createSpans(levels, "equity_share", "2025-01-01", null)(levels[4] as HeldEntity);
    expect(spans.map(({ share }) => share)).toEqual(["0.00411316913576131893"]);
  });

  it.each([
    ["full", true, "1", "1"],
    ["joint", true, "0.4", "1"],
    ["none", false, "0", "0"],
  ] as const)(
    "with %s control follow the control",
    (financialControl, operationalControl, financial, operational) => {
      const entity = {
        id: "e",
        parentId: null,
        holdings: [held("2025-01-01", "0.4000", { financialControl, operationalControl })],
      };
      const shareBy = (approach: "financial_control" | "operational_control") =>
        createSpans([entity], approach, "2025-01-01", null)(entity).map(({ share }) => share);
      expect(shareBy("financial_control")).toEqual([financial]);
      expect(shareBy("operational_control")).toEqual([operational]);
    },
  );
});

describe("market-based electricity", () => {
  const london = {
    facilityId: "1",
    code: "LON",
    market: "GB",
    tonnes: "74.34",
    kwh: "420000",
    recordCount: 12,
    kwhRecordCount: 12,
  };
  const certificate = (mwh: string, rate = "0"): ElectricityClaim => ({ kind: "certificate", mwh, rate });

  it("is zero for energy covered by certificates, and uses the residual mix for the rest", () => {
    expect(computeMarket(london, [certificate("300")], "0.365")).toEqual({
      tonnes: "43.8",
      instruments: [{ kind: "certificate", kwhExact: "300000", co2eTonnesExact: "0" }],
      unusedKwh: "0",
      renewableKwh: "0",
      residualMix: { kwhExact: "120000", co2eTonnesExact: "43.8" },
      byLocation: null,
    });
  });

  it("uses the location-based average for the rest without a residual mix", () => {
    expect(computeMarket(london, [certificate("300")], null)).toMatchObject({
      tonnes: "21.24",
      byLocation: { kwhExact: "120000", co2eTonnesExact: "21.24" },
    });
    expect(
      computeMarket({ ...london, tonnes: "0.00001", kwh: "3" }, [certificate("0.0015")], null).tonnes,
    ).toBe("0.000005");
  });

  it("leaves claims beyond consumption unused", () => {
    expect(computeMarket(london, [certificate("450")], null)).toMatchObject({
      tonnes: "0",
      unusedKwh: "30000",
    });
  });

  it("uses certificates before contracts, in the order of claims, then the supplier rate", () => {
    const claims: ElectricityClaim[] = [
      { kind: "supplier_rate", mwh: null, rate: "0.2" },
      { kind: "contract", mwh: "100", rate: "0.05" },
      certificate("200", "0.01"),
      certificate("50", "0.02"),
    ];
    expect(computeMarket(london, claims, "0.365")).toMatchObject({
      // 200,000 × 0.01 + 50,000 × 0.02 + 100,000 × 0.05 + 70,000 × 0.2 = 22,000 kg
      tonnes: "22",
      residualMix: null,
      instruments: [
        { kind: "certificate", kwhExact: "200000", co2eTonnesExact: "2" },
        { kind: "certificate", kwhExact: "50000", co2eTonnesExact: "1" },
        { kind: "contract", kwhExact: "100000", co2eTonnesExact: "5" },
        { kind: "supplier_rate", kwhExact: "70000", co2eTonnesExact: "14" },
      ],
    });
  });

  it("is unknown if a claim or a residual mix needs kWh that a record lacks", () => {
    const incomplete = { ...london, kwhRecordCount: 11 };
    expect(computeMarket(incomplete, [certificate("300")], null).tonnes).toBeNull();
    expect(computeMarket(incomplete, [], "0.365").tonnes).toBeNull();
    expect(computeMarket(incomplete, [], null).tonnes).toBe("74.34");
  });
});

describe("uncertainty", () => {
  it("adds up as the root of squares, to the last digit", () => {
    // 600 t ± √(3² + 4²) % and 400 t ± √(12² + 16²) %
    const squares = String(600 ** 2 * 25 + 400 ** 2 * 400);
    expect(combineUncertainty({ tonnes: "1000", squares }, "1000")).toEqual({
      co2eTonnesExact: "85.440037",
      percent: 8.54,
      coveredPercent: 100,
    });
    expect(combineUncertainty({ tonnes: "0", squares: "0" }, "1000")).toBeNull();
  });

  it.each([
    ["2", 6, "1.414214"],
    ["0.25", 0, "1"],
    ["0.2499999", 0, "0"],
    ["2.25", 0, "2"],
    ["1000000000000000000000000000000000000", 2, "1000000000000000000"],
    ["0", 6, "0"],
  ])("the root of %s with %i decimals is %s", (square, decimals, root) => {
    const [whole = "", fraction = ""] = square.split(".");
    expect(
      roundRoot(
        { numerator: BigInt(whole + fraction), denominator: 10n ** BigInt(fraction.length) },
        decimals,
      ),
    ).toBe(root);
  });
});
