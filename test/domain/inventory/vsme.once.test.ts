import { describe, expect, it } from "vitest";
import type { Inventory } from "../../../src/domain/inventory/inventory.js";
import { linesOf } from "../../../src/domain/inventory/lines.js";
import { createVsmeReport, type VsmeParts } from "../../../src/domain/inventory/vsme.js";
import type { VsmeTarget } from "../../../src/domain/inventory/vsme-targets.js";
import { isLei, LEI_SCHEME, writeXbrlJson } from "../../../src/domain/inventory/xbrl-json.js";
import efrag from "./efrag-vsme.json" with { type: "json" };

const policy: Inventory["policy"] = {
  fromYear: 2020,
  approach: "operational_control",
  scopes: ["scope_1", "scope_2", "scope_3"],
  yearStartsIn: 1,
  baseYear: 2020,
  baseYearReason: null,
  recalculationThresholdPercentExact: null,
  recalculationPolicy: null,
  chosenAt: new Date(0),
};

const tonnes = { scope_1: "100", scope_2: "50", scope_3: "200" } as const;

/** The inventory of EFRAG's sample. */
const inventory: Inventory = {
  year: 2025,
  period: { from: "2025-01-01", to: "2025-12-31" },
  policy,
  holdingsAsOf: null,
  total: { co2eTonnesExact: "350", marketBasedCo2eTonnesExact: "350" },
  ledgerCo2eTonnesExact: "350",
  scopes: policy.scopes.map((scope) => ({
    scope,
    co2eTonnesExact: tonnes[scope],
    marketBasedCo2eTonnesExact: scope === "scope_2" ? "50" : null,
    biogenicCo2TonnesExact: "0",
    uncertainty: null,
  })),
  lines: policy.scopes.flatMap((scope) =>
    linesOf([scope]).map((line) => ({
      line,
      scope,
      state: "included" as const,
      reason: null,
      co2eTonnesExact: "0",
      recordCount: 1,
      methods: [],
    })),
  ),
  unmapped: [],
  scope2: {
    consumptionKwhExact: "100000",
    coveredKwhExact: "0",
    unusedMwhExact: "0",
    instruments: [],
    residualMix: null,
    byLocation: null,
    facilities: [],
  },
  renewableKwhExact: "0",
  uncertainty: null,
  completeness: { included: 21, notRelevant: 0, notEstimated: 0, missing: 0, complete: true },
  gaps: [],
};

const target = (
  scopes: VsmeTarget["scopes"],
  baseExact: string | null,
  targetExact: string | null,
  given: Partial<VsmeTarget> = {},
): VsmeTarget => ({
  name: scopes.join(),
  scopes,
  method: scopes.includes("scope_2") ? "location_based" : null,
  metric: null,
  baseYear: 2020,
  targetYear: 2030,
  baseExact,
  targetExact,
  actions: null,
  ...given,
});

const sample: VsmeParts = {
  inventory,
  energy: [
    { line: "stationary_combustion", renewable: false, kwhExact: "10033.34136", recordsWithoutKwh: 0 },
    { line: "mobile_combustion", renewable: true, kwhExact: "6375.0051", recordsWithoutKwh: 0 },
    { line: "purchased_electricity", renewable: null, kwhExact: "100000", recordsWithoutKwh: 0 },
  ],
  targets: [
    target(["scope_1"], "150", "75", { actions: "Heat pumps\nTrucks < 3.5 t & vans by battery" }),
    target(["scope_2"], "75", "15"),
    target(["scope_3"], "300", "100"),
  ],
  turnover: { currency: "EUR", amount: { value: "23500" } },
};

const keyOf = ({ concept, dimensions }: { concept: string; dimensions: object }) =>
  [concept, ...Object.values(dimensions)].join(" ");

const valuesOf = (parts: VsmeParts) =>
  Object.fromEntries(createVsmeReport(parts).facts.map((fact) => [keyOf(fact), fact.value]));

const reasonsOf = (parts: VsmeParts) =>
  Object.fromEntries(createVsmeReport(parts).absent.map((absence) => [keyOf(absence), absence.reason]));

describe("the VSME report", () => {
  it("states the 27 facts of EFRAG's sample with its values", () => {
    const values = valuesOf(sample);
    expect(Object.keys(values)).toHaveLength(27);
    const expected = Object.fromEntries(efrag.sampleFacts.map((fact) => [keyOf(fact), fact.value]));
    expect(values).toEqual({
      ...expected,
      // The sample's total is entered, and is not the sum of its parts.
      "vsme:TotalEnergyConsumption": "116.40834646",
      // The sample's workbook has every digit of a float.
      "vsme:TotalLocationBasedGreenhouseGasEmissionsIntensityValue": "0.014893617",
      "vsme:Scope1AndScope2GreenhouseGasEmissionsIntensityValueLocationBased": "0.006382979",
      "vsme:DisclosureOfListOfMainActionsTheEntitySeeksInOrderToAchieveItsTargets":
        "Heat pumps\nTrucks < 3.5 t & vans by battery",
    });
    const rounded = Number(expected["vsme:TotalLocationBasedGreenhouseGasEmissionsIntensityValue"]).toFixed(
      9,
    );
    expect(rounded).toBe("0.014893617");
  });

  it("names each concept of B3 and C3 once, with the taxonomy's axes, members, paragraphs and periods", () => {
    const { facts, absent } = createVsmeReport(sample);
    const all = [...facts, ...absent];
    expect(new Set(all.map(keyOf)).size).toBe(all.length);
    expect(new Set(all.map(({ concept }) => concept))).toEqual(new Set(Object.keys(efrag.concepts)));
    const dimensions: Record<string, { members: string[] }> = efrag.dimensions;
    const concepts: Record<string, { paragraph: string; periodType: string; dataType: string }> =
      efrag.concepts;
    for (const { concept, dimensions: own, paragraph } of all) {
      const isOfTarget = "vsme:ReportingScopesAxis" in own;
      expect(paragraph, concept).toBe(isOfTarget ? "54" : concepts[concept]?.paragraph);
      for (const [axis, member] of Object.entries(own))
        expect(dimensions[axis]?.members, concept).toContain(member);
    }
    const units: Record<string, string | null> = {
      "dtr-types:energyItemType": "utr:MWh",
      "dtr-types:ghgEmissionsItemType": "utr:tCO2e",
      "dtr-types:ghgEmissionsPerMonetaryItemType": "utr:tCO2e/iso4217:EUR",
    };
    for (const { concept, unit, period } of facts) {
      expect(unit, concept).toBe(units[concepts[concept]?.dataType ?? ""] ?? null);
      expect(period.from === null ? "instant" : "duration", concept).toBe(concepts[concept]?.periodType);
    }
  });

  it("states market-based scope 2 only if a claim or a residual mix was used", () => {
    const used: VsmeParts = {
      ...sample,
      inventory: {
        ...inventory,
        renewableKwhExact: "30000",
        scopes: inventory.scopes.map((scope) =>
          scope.scope === "scope_2" ? { ...scope, marketBasedCo2eTonnesExact: "35" } : scope,
        ),
        scope2: {
          ...inventory.scope2,
          instruments: [{ kind: "certificate", mwhExact: "30", co2eTonnesExact: "0" }],
        },
      },
    };
    expect(valuesOf(used)).toMatchObject({
      "vsme:GrossMarketBasedScope2GreenhouseGasEmissions": "35",
      "vsme:TotalGrossMarketBasedScope1AndScope2GHGEmissions": "135",
      "vsme:TotalGrossMarketBasedGHGEmissions": "335",
      "vsme:Scope1AndScope2GreenhouseGasEmissionsIntensityValueMarketBased": "0.005744681",
      "vsme:EnergyConsumptionFromElectricity vsme:RenewableEnergyMember": "30",
      "vsme:EnergyConsumptionFromElectricity vsme:NonRenewableEnergyMember": "70",
    });
    expect(reasonsOf(sample)["vsme:TotalGrossMarketBasedGHGEmissions"]).toBe(
      "No energy instrument or residual mix was used.",
    );
  });

  it("omits unknown amounts, each with its reason", () => {
    const [fuel, ...others] = sample.energy;
    const unknown: VsmeParts = {
      ...sample,
      inventory: {
        ...inventory,
        policy: { ...policy, scopes: ["scope_1", "scope_2"] },
        scopes: inventory.scopes.slice(0, 2),
        lines: inventory.lines.filter(({ scope }) => scope !== "scope_3"),
      },
      energy: fuel ? [{ ...fuel, recordsWithoutKwh: 2 }, ...others] : [],
      turnover: { currency: "EUR", amount: { value: "0" } },
    };
    const reasons = reasonsOf(unknown);
    expect(reasons).toMatchObject({
      "vsme:TotalEnergyConsumption": "2 records have no kWh: stationary combustion.",
      "vsme:EnergyConsumptionFromElectricity": "2 records have no kWh: stationary combustion.",
      "vsme:GrossScope3GreenhouseGasEmissions": "The policy excludes scope 3.",
      "vsme:TotalGrossLocationBasedGHGEmissions": "The policy excludes scope 3.",
      "vsme:Scope1AndScope2GreenhouseGasEmissionsIntensityValueLocationBased":
        "The turnover must be above 0.",
    });
    expect(valuesOf(unknown)["vsme:TotalGrossLocationBasedScope1AndScope2GHGEmissions"]).toBe("150");

    const unsaid = sample.energy.map((row) => ({ ...row, renewable: null }));
    expect(
      reasonsOf({ ...sample, energy: unsaid })[
        "vsme:EnergyConsumptionFromFuels vsme:NonRenewableEnergyMember"
      ],
    ).toBe("Some fuel streams do not state whether they are renewable.");
    const unmapped = [{ scope: "scope_1", category: "Gas", co2eTonnesExact: "1", recordCount: 1 }] as const;
    expect(
      reasonsOf({ ...sample, inventory: { ...inventory, unmapped } })["vsme:TotalEnergyConsumption"],
    ).toBe("Some records of scopes 1 and 2 belong to no line, so it is unknown whether they are energy.");
  });

  it("states 0 for a scope whose lines are not relevant, and nothing for a scope not estimated", () => {
    const withState = (state: "not_relevant" | "not_estimated"): VsmeParts => ({
      ...sample,
      inventory: {
        ...inventory,
        scopes: inventory.scopes.map((scope) => ({ ...scope, co2eTonnesExact: "0" })),
        lines: inventory.lines.map((line) => (line.scope === "scope_1" ? { ...line, state } : line)),
      },
    });
    expect(valuesOf(withState("not_relevant"))["vsme:GrossScope1GreenhouseGasEmissions"]).toBe("0");
    expect(reasonsOf(withState("not_estimated"))["vsme:GrossScope1GreenhouseGasEmissions"]).toBe(
      "No records of scope 1 are within the boundary.",
    );
  });

  it("states targets of the next target year with known totals, and names the others", () => {
    const targets = [
      target(["scope_1", "scope_2"], "225", "90"),
      target(["scope_3"], null, null),
      target(["scope_1"], "100", "0", { name: "Net zero", baseYear: 2019, targetYear: 2045 }),
      target(["scope_1"], "1", "0.5", { name: "Per t", metric: "output" }),
    ];
    const report = createVsmeReport({ ...sample, targets });
    const values = valuesOf({ ...sample, targets });
    expect(values["vsme:TotalGrossLocationBasedScope1AndScope2GHGEmissions vsme:TargetYearMember"]).toBe(
      "90",
    );
    expect(reasonsOf({ ...sample, targets })).toMatchObject({
      "vsme:GrossScope1GreenhouseGasEmissions vsme:TargetYearMember":
        "No target of these years covers scope 1 alone.",
      "vsme:TotalGrossLocationBasedGHGEmissions vsme:BaselineYearMember": "No issue of 2020 states scope 3.",
    });
    expect(report.absent.slice(-2).map(({ reason }) => reason)).toEqual([
      'The taxonomy has no place for the target "Net zero" (scope 1, 2019 to 2045).',
      'The taxonomy has no place for the target "Per t" (scope 1, 2020 to 2030, by output).',
    ]);
    expect(report.facts.find(({ dimensions }) => "vsme:ReportingScopesAxis" in dimensions)?.period).toEqual({
      from: "2020-01-01",
      to: "2020-12-31",
    });
  });
});

describe("xBRL-JSON", () => {
  const lei = "529900T8BM49AURSDO55";

  it("has the taxonomy's entry point, and facts with their dimensions", () => {
    const { documentInfo, facts } = writeXbrlJson(createVsmeReport(sample), {
      scheme: LEI_SCHEME,
      identifier: lei,
    });
    expect(documentInfo).toEqual({
      documentType: "https://xbrl.org/2021/xbrl-json",
      namespaces: { ...efrag.namespaces, entity: "http://standards.iso.org/iso/17442" },
      taxonomy: [efrag.entryPoint],
    });
    const found = (concept: string) =>
      Object.values(facts).find(({ dimensions }) => dimensions.concept === concept);
    const period = "2025-01-01T00:00:00/2026-01-01T00:00:00";
    expect(Object.keys(facts)).toHaveLength(27);
    expect(found("vsme:EnergyConsumptionFromFuels")).toEqual({
      value: "16.40834646",
      dimensions: {
        concept: "vsme:EnergyConsumptionFromFuels",
        entity: `entity:${lei}`,
        period,
        unit: "utr:MWh",
      },
    });
    expect(found("vsme:TotalLocationBasedGreenhouseGasEmissionsIntensityValue")).toEqual({
      value: "0.014893617",
      decimals: 9,
      dimensions: {
        concept: "vsme:TotalLocationBasedGreenhouseGasEmissionsIntensityValue",
        entity: `entity:${lei}`,
        period,
        unit: "utr:tCO2e/iso4217:EUR",
      },
    });
    expect(found("vsme:GreenhouseGasEmissionReductionTargetYear")).toEqual({
      value: "2030",
      dimensions: {
        concept: "vsme:GreenhouseGasEmissionReductionTargetYear",
        entity: `entity:${lei}`,
        period: "2026-01-01T00:00:00",
      },
    });
    expect(found("vsme:DisclosureOfListOfMainActionsTheEntitySeeksInOrderToAchieveItsTargets")?.value).toBe(
      "<p>Heat pumps</p><p>Trucks &lt; 3.5 t &amp; vans by battery</p>",
    );
  });

  it("verifies the check digits of a Legal Entity Identifier", () => {
    expect(isLei(lei)).toBe(true);
    expect(["529900T8BM49AURSDO56", "529900t8bm49aursdo55", "529900T8BM49AURSDO5"].filter(isLei)).toEqual([]);
  });
});
