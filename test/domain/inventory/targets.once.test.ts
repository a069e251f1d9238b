import { describe, expect, it } from "vitest";
import { readFraction } from "../../../src/domain/fractions.js";
import { compareBaseYear } from "../../../src/domain/inventory/base-year.js";
import { drawTargetPath, perUnit } from "../../../src/domain/inventory/target-path.js";

const LINE = { baseYear: 2020, targetYear: 2030, reductionPercentExact: "42", targetValueExact: null };
const known = (amounts: Readonly<Record<number, string>>, issued: readonly number[]) => (year: number) => ({
  amount: amounts[year] === undefined ? null : readFraction(amounts[year]),
  issued: issued.includes(year),
});

describe("the path of a target", () => {
  it("matches the worked example of 500 t, less 42 % by 2030", () => {
    const drawn = drawTargetPath(LINE, known({ 2020: "500", 2025: "410" }, [2020]));
    expect(drawn).toMatchObject({ baseExact: "500", targetExact: "290" });
    expect(drawn.path).toHaveLength(11);
    expect(drawn.path[5]).toEqual({
      year: 2025,
      plannedExact: "395",
      actualExact: "410",
      issued: false,
      distanceExact: "15",
      distancePercent: 3.8,
      achievedPercent: 42.86,
      onPath: false,
    });
    expect(drawn.path[10]).toMatchObject({ plannedExact: "290", actualExact: null, onPath: null });
  });

  it("has no plan until the base year is issued", () => {
    const { baseExact, targetExact, path } = drawTargetPath(LINE, known({ 2020: "500" }, []));
    expect([baseExact, targetExact]).toEqual([null, null]);
    expect(path[0]).toMatchObject({ plannedExact: null, actualExact: "500", issued: false, onPath: null });
  });

  it("is compared without rounding, and rounded from exact figures", () => {
    const thirds = { ...LINE, targetYear: 2023, reductionPercentExact: null, targetValueExact: "0" };
    const [, second] = drawTargetPath(thirds, known({ 2020: "1", 2021: "0.666667" }, [2020])).path;
    // Planned are 2/3, so the amount is a third of a millionth above.
    expect(second).toMatchObject({ plannedExact: "0.666667", distanceExact: "0", onPath: false });
  });

  it("divides by a business metric, unless that is unknown or zero", () => {
    expect(perUnit("10", "4")).toEqual(expect.objectContaining({ numerator: 10n, denominator: 4n }));
    expect([perUnit("10", null), perUnit(null, "4"), perUnit("10", "0")]).toEqual([null, null, null]);
  });
});

const scopes = (first: string, third?: string) => [
  { scope: "scope_1" as const, co2eTonnesExact: first, marketBasedCo2eTonnesExact: first },
  { scope: "scope_2" as const, co2eTonnesExact: "400", marketBasedCo2eTonnesExact: null },
  ...(third === undefined
    ? []
    : [{ scope: "scope_3" as const, co2eTonnesExact: third, marketBasedCo2eTonnesExact: third }]),
];

describe("the comparison of a base year", () => {
  const compare = (restated: string, threshold: string | null = "5") =>
    compareBaseYear(
      { reported: scopes("600"), restated: scopes(restated), withIssuedHoldings: scopes("600") },
      threshold,
    )[0];

  it("requires a recalculation from the unrounded threshold on", () => {
    expect(compare("649.999999")).toEqual({
      figure: "scope_1_2_location",
      reportedExact: "1000",
      restatedExact: "1049.999999",
      changeExact: "49.999999",
      structuralExact: "49.999999",
      otherExact: "0",
      changePercent: 5,
      required: false,
    });
    expect(compare("650")).toMatchObject({ changeExact: "50", changePercent: 5, required: true });
    expect(compare("550")).toMatchObject({ changeExact: "-50", changePercent: -5, required: true });
    expect(compare("600")).toMatchObject({ changeExact: "0", changePercent: 0, required: false });
    expect(compare("900", null)).toMatchObject({ required: false });
  });

  it("requires one for any change of a reported zero, and is unknown for missing scopes", () => {
    const [, market, third] = compareBaseYear(
      {
        reported: scopes("600", "0"),
        restated: scopes("600", "0.000001"),
        withIssuedHoldings: scopes("600", "0"),
      },
      "5",
    );
    expect(third).toMatchObject({ changeExact: "0.000001", changePercent: null, required: true });
    expect(market).toMatchObject({ reportedExact: null, changeExact: null, required: false });
    expect(
      compareBaseYear(
        { reported: scopes("1"), restated: scopes("1"), withIssuedHoldings: scopes("1") },
        "5",
      )[2],
    ).toMatchObject({ reportedExact: null, required: false });
  });
});
