import { describe, expect, it } from "vitest";
import { computeCo2e } from "../../src/domain/ghg/compute-co2e.js";
import { findGas, findPotential } from "../../src/domain/ghg/gwp.js";
import { listNearest, pairName } from "../../src/domain/ghg/nearest-names.js";
import { readUnit } from "../../src/domain/ghg/units.js";

describe("computeCo2e", () => {
  const rate = (factor: string, unit: string) => ({ factor, gas: "CO2e", unit: readUnit(unit) });

  it("keeps every digit of the kilograms, and rounds tonnes half away from zero to 6 decimals", () => {
    expect(computeCo2e("1", readUnit("kg"), rate("0.0005", "kg"))).toEqual({
      kg: "0.0005",
      tonnes: "0.000001",
      formula: "1 kg × 0.0005 kg CO2e per kg = 0.0005 kg CO2e",
    });
    expect(computeCo2e("1", readUnit("kg"), rate("0.000499999999999999", "kg")).tonnes).toBe("0");
    expect(computeCo2e("999999999999999.123456789012", readUnit("t"), rate("123456.5", "kg")).kg).toBe(
      "123456499999999891785043.072659978",
    );
  });

  it("marks a repeating decimal as inexact, and rounds tonnes once", () => {
    expect(computeCo2e("1", readUnit("litre"), rate("10.21", "US gallon"))).toEqual({
      kg: "2.69719665457669532103",
      tonnes: "0.002697",
      formula: "1 litre × 1 / 3.785411784 × 10.21 kg CO2e per US gallon ≈ 2.69719665457669532103 kg CO2e",
    });
  });
});

describe("global warming potentials", () => {
  it.each([
    ["ch4", "AR6", true, "29.8"],
    ["CH4", "AR6", false, "27"],
    ["CH4", "AR5", false, "28"],
    ["CH4", "AR5", true, "30"],
    ["CH4", "AR4", true, "25"],
    ["N2O", "AR6", false, "273"],
    ["N₂O", "AR6", false, "273"],
    ["SF6", "AR5", false, "23500"],
    ["NF3", "AR4", false, "17200"],
    ["R-134a", "AR6", false, "1530"],
    ["hfc134A", "AR5", false, "1300"],
    ["R22", "AR4", false, "1810"],
    ["R410A", "AR6", false, "2255.5"],
  ] as const)("of %s in %s, fossil %s, is %s", (gas, set, isFossil, potential) => {
    expect(findPotential(findGas(gas) ?? "", set, isFossil)).toBe(potential);
  });

  it("are unknown for other gases", () => {
    expect(["O2", "R-999", "", "constructor"].map(findGas)).toEqual(Array(4).fill(undefined));
  });
});

describe("the nearest names", () => {
  it("begin with the most similar names", () => {
    const names = ["Natural gas", "Diesel", "Natural gas (100% mineral blend)", "Petrol"];
    expect(listNearest(names.map(pairName), "natrual gas", 2)).toEqual([
      "Natural gas",
      "Natural gas (100% mineral blend)",
    ]);
  });
});
