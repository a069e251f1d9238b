import type { EmissionScope } from "../enums.js";
import { divideFractions, readFraction, roundFraction } from "../fractions.js";
import type { Inventory } from "./inventory.js";
import { type EnergyParts, listEnergy } from "./vsme-energy.js";
import {
  type Datapoint,
  EMISSIONS,
  type EmissionKind,
  findAmount,
  type ValueOrReason,
  type VsmeAbsence,
  type VsmeFact,
} from "./vsme-facts.js";
import { listTargets, type VsmeTarget } from "./vsme-targets.js";

export interface VsmeReport {
  readonly year: number;
  readonly facts: readonly VsmeFact[];
  readonly absent: readonly VsmeAbsence[];
}

/** The turnover of a year. */
export interface Turnover {
  /** ISO 4217 code. */
  readonly currency: string;
  readonly amount: ValueOrReason;
}

/** Inputs of a report. */
export interface VsmeParts extends EnergyParts {
  readonly inventory: Inventory;
  readonly targets: readonly VsmeTarget[];
  /** Null if the caller named no metric. */
  readonly turnover: Turnover | null;
}

/** Decimals of an intensity: 350 t / 23,500 EUR is 0.014893617. */
export const INTENSITY_DECIMALS = 9;

/**
 * Creates the report of B3 and C3 of the VSME standard (Recommendation (EU) 2025/1710). Each datapoint of EFRAG's
 * taxonomy in these disclosures is a fact, or absent with a reason. An unknown value is absent, never 0.
 */
export function createVsmeReport(parts: VsmeParts): VsmeReport {
  const { inventory, targets, turnover } = parts;
  const { year, period, policy } = inventory;
  const lookUp = createLookup(inventory);
  const ofYear = { period, dimensions: {} };
  const { datapoints, leftOut } = listTargets(targets, year, policy.yearStartsIn);
  const all: readonly Datapoint[] = [
    ...listEnergy(parts),
    ...EMISSIONS.map((kind) => ({
      ...ofYear,
      concept: kind.concept,
      unit: "utr:tCO2e",
      paragraph: kind.paragraph,
      ...findAmount(kind, lookUp),
    })),
    ...INTENSITIES.map(({ concept, ...kind }) => ({
      ...ofYear,
      concept,
      unit: `utr:tCO2e/iso4217:${turnover?.currency ?? "EUR"}`,
      paragraph: "31",
      ...divide(findAmount(kind, lookUp), turnover),
    })),
    ...datapoints,
    ...TRANSITION_PLAN.map(([concept, paragraph]) => ({
      ...ofYear,
      concept,
      unit: null,
      paragraph,
      reason: "The gateway does not record transition plans.",
    })),
  ];
  return {
    year,
    facts: all.flatMap((datapoint) => ("value" in datapoint ? [datapoint] : [])),
    absent: [
      ...all.flatMap((datapoint) => {
        if ("value" in datapoint) return [];
        const { concept, dimensions, paragraph, reason } = datapoint;
        return [{ concept, dimensions, paragraph, reason }];
      }),
      ...leftOut,
    ],
  };
}

const SCOPES_1_2: readonly EmissionScope[] = ["scope_1", "scope_2"];
const SCOPES: readonly EmissionScope[] = [...SCOPES_1_2, "scope_3"];

/** Concepts of emissions per turnover, in the order of the taxonomy (role 111). */
const INTENSITIES: readonly (EmissionKind & { readonly concept: string })[] = [
  {
    concept: "vsme:Scope1AndScope2GreenhouseGasEmissionsIntensityValueLocationBased",
    scopes: SCOPES_1_2,
    method: "location_based",
  },
  {
    concept: "vsme:Scope1AndScope2GreenhouseGasEmissionsIntensityValueMarketBased",
    scopes: SCOPES_1_2,
    method: "market_based",
  },
  {
    concept: "vsme:TotalLocationBasedGreenhouseGasEmissionsIntensityValue",
    scopes: SCOPES,
    method: "location_based",
  },
  {
    concept: "vsme:TotalMarketBasedGreenhouseGasEmissionsIntensityValue",
    scopes: SCOPES,
    method: "market_based",
  },
];

/** Concepts of transition plans, with their paragraphs. */
const TRANSITION_PLAN = [
  [
    "vsme:DescriptionOfATransitionPlanForClimateChangeMitigationIncludingAnExplanationOfHowItIsContributingToReduceGhgEmissions",
    "55",
  ],
  ["vsme:DateOfAdoptionOfTransitionPlanForUndertakingNotHavingAdoptedTransitionPlanYet", "56"],
] as const;

/** Returns a function that finds the year's amount of a single scope. */
function createLookup({ policy, scopes, lines, unmapped, scope2 }: Inventory) {
  return ({ scopes: [scope, ...others], method }: EmissionKind): ValueOrReason | undefined => {
    if (scope === undefined || others.length > 0) return undefined;
    const words = scope.replace("_", " ");
    const found = scopes.find((row) => row.scope === scope);
    if (!(policy.scopes.includes(scope) && found)) return { reason: `The policy excludes ${words}.` };
    const ofScope = lines.filter((line) => line.scope === scope);
    const hasRecords =
      ofScope.some(({ state }) => state === "included") || unmapped.some((stream) => stream.scope === scope);
    if (!hasRecords && ofScope.some(({ state }) => state !== "not_relevant")) {
      return { reason: `No records of ${words} are within the boundary.` };
    }
    if (method !== "market_based") return { value: found.co2eTonnesExact };
    if (found.marketBasedCo2eTonnesExact === null) {
      return { reason: "A claim or a residual mix requires kWh, which some records do not have." };
    }
    return scope2.instruments.length > 0 || scope2.residualMix !== null
      ? { value: found.marketBasedCo2eTonnesExact }
      : { reason: "No energy instrument or residual mix was used." };
  };
}

function divide(amount: ValueOrReason, turnover: Turnover | null): ValueOrReason {
  if (turnover === null) return { reason: "No metric was named as the turnover." };
  if ("reason" in amount) return amount;
  if ("reason" in turnover.amount) return turnover.amount;
  const divisor = readFraction(turnover.amount.value);
  if (divisor.numerator <= 0n) return { reason: "The turnover must be above 0." };
  return { value: roundFraction(divideFractions(readFraction(amount.value), divisor), INTENSITY_DECIMALS) };
}
