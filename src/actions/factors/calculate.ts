import type { FactorRow } from "../../data/factors/factors.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { describeLimits, readWithin } from "../../domain/decimals.js";
import { isLifeCycle } from "../../domain/factor-search/publications.js";
import { type Co2e, computeCo2e } from "../../domain/ghg/compute-co2e.js";
import { findGas, findPotential, GWP_SETS } from "../../domain/ghg/gwp.js";
import { isConvertible, listUnitMeanings, readUnit, type Unit } from "../../domain/ghg/units.js";
import { AppError } from "../../errors.js";
import { mapInTurns } from "../../turns.js";
import type { Activity } from "./activity.js";
import type { ConsideredPublication } from "./selection/choose.js";
import { createFactorFinder, type FactorFinder, type FactorSource } from "./selection/factor-finder.js";
import { type SelectedFactor, selectFactor } from "./selection/select-factor.js";
import { refuseUnit } from "./selection/selection-refusals.js";

/** Warnings attached to a calculation. */
export const CALCULATION_NOTICES = ["FACTOR_NEWER_THAN_ACTIVITY", "CO2_ONLY", "LIFE_CYCLE"] as const;
export type CalculationNotice = (typeof CALCULATION_NOTICES)[number];

export interface Calculation extends Co2e {
  /** Null for a gas calculated with its global warming potential. */
  readonly factor: FactorRow | null;
  /** Reason for choosing this factor. */
  readonly reason: string;
  /** Id of the organization's mapping that supplied the factor in an import. */
  readonly mappingId?: string;
  /** Publications with matching factors, in order of precedence. Missing in calculations of earlier releases. */
  readonly precedence?: readonly ConsideredPublication[];
  readonly notices: readonly CalculationNotice[];
}

const AMOUNT = { exponent: 15, decimals: 12 };

/**
 * Calculates activities, in order. Returns an AppError in place of an activity that cannot be calculated:
 * VALIDATION_FAILED, UNIT_MISMATCH, AMBIGUOUS_UNIT, FACTOR_NOT_FOUND or AMBIGUOUS_FACTOR. `year` applies to selectors
 * without a year.
 */
export async function calculateActivities(
  factors: TenantReader | FactorSource,
  activities: readonly Activity[],
  year: number,
): Promise<(Calculation | AppError)[]> {
  const find = await createFactorFinder(factors, activities);
  return mapInTurns(activities, factors, (activity) => {
    try {
      return calculate(activity, find, year);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  });
}

function calculate(activity: Activity, find: FactorFinder, year: number): Calculation {
  const { factorId, selector, gas } = activity;
  const amount = readWithin(activity.amount, AMOUNT);
  if (amount === undefined)
    throw invalid(`amount: expected ${describeLimits(AMOUNT)}, got ${activity.amount}`);
  if ([factorId, selector, gas].filter((given) => given != null).length !== 1) {
    throw invalid("expected exactly one of a factor id, a selector and a gas");
  }
  const unit = readUnit(activity.unit);
  if (gas != null) return calculateGas(amount, unit, gas, activity);
  return calculateBy(
    selector ? selectFactor(selector, unit, find, year) : pick(factorId ?? "", activity.unit, find),
    amount,
    unit,
  );
}

/** Calculates the emissions of an amount, given as a plain decimal. Its unit must be convertible to the factor's. */
export function calculateBy(
  { factor, reason, isNewer, precedence }: SelectedFactor,
  amount: string,
  unit: Unit,
): Calculation {
  const rate = { factor: factor.factorExact, gas: gasOf(factor), unit: readUnit(factor.unit) };
  return {
    ...computeCo2e(amount, unit, rate),
    factor,
    reason,
    precedence,
    notices: [
      ...(isNewer ? (["FACTOR_NEWER_THAN_ACTIVITY"] as const) : []),
      ...(factor.gas === "CO2" ? (["CO2_ONLY"] as const) : []),
      ...(isLifeCycle(factor) ? (["LIFE_CYCLE"] as const) : []),
    ],
  };
}

/**
 * Returns the gas that a factor counts. A factor of a single gas other than CO2 is a global warming potential, which
 * counts CO2e.
 */
const gasOf = ({ gas }: FactorRow): string => (gas === "CO2" ? gas : "CO2e");

const invalid = (message: string) => new AppError("VALIDATION_FAILED", message);

function pick(id: string, unit: string, find: FactorFinder): SelectedFactor {
  const factor = find.byId(id);
  if (!factor) throw new AppError("FACTOR_NOT_FOUND", `There is no emission factor with the id ${id}.`);
  if (!isConvertible(readUnit(unit), readUnit(factor.unit))) throw mismatch(factor.unit, unit);
  return selectById(factor);
}

/** Selects a factor that was given by its id. */
export function selectById(factor: FactorRow): SelectedFactor {
  const precedence = [{ source: factor.source, chosen: true }];
  return { factor, reason: "chosen by its id", precedence, isNewer: false };
}

function mismatch(expected: string, unit: string): AppError {
  if (listUnitMeanings(unit).length > 0) return refuseUnit(unit);
  return new AppError(
    "UNIT_MISMATCH",
    `unit: expected a unit that converts to ${expected}, got ${unit}. Gross and net calorific values, Nm3 and m3, and volume and mass are never converted.`,
  );
}

function calculateGas(
  amount: string,
  unit: Unit,
  wanted: string,
  { unit: given, gwp = "AR6", fossil }: Activity,
): Calculation {
  const gas = findGas(wanted);
  if (gas === undefined) {
    throw invalid(`gas: expected CO2, CH4, N2O, SF6, NF3 or a refrigerant such as R-410A, got ${wanted}`);
  }
  if (fossil != null && gas !== "CH4") throw invalid(`fossil: expected only with the gas CH4, got ${gas}`);
  const potential = findPotential(gas, gwp, fossil === true);
  if (potential === undefined) {
    const sets = GWP_SETS.filter((set) => findPotential(gas, set, false) !== undefined);
    throw invalid(`gwp: expected ${sets.join(" or ")} for ${gas}, got ${gwp}`);
  }
  const kilogram = readUnit("kg");
  if (!isConvertible(unit, kilogram)) throw mismatch("kg", given);
  const origin = gas === "CH4" ? ` (${fossil ? "" : "not "}fossil)` : "";
  return {
    ...computeCo2e(amount, unit, { factor: potential, gas: "CO2e", unit: kilogram }),
    factor: null,
    precedence: [],
    reason: `global warming potential of ${gas}${origin} over 100 years, ${gwp}`,
    notices: [],
  };
}
