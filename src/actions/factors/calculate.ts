import { type FactorRow, findFactors, listFactorNames, spellingsOf } from "../../data/factors/factors.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { readDecimal } from "../../domain/amounts.js";
import type { EmissionScope } from "../../domain/enums.js";
import { chooseFactor } from "../../domain/ghg/factor-choice.js";
import { type Co2e, computeCo2e } from "../../domain/ghg/ghg.js";
import { findGas, findPotential, GWP_SETS, type GwpSet } from "../../domain/ghg/gwp.js";
import { createNearestNames } from "../../domain/ghg/nearest-names.js";
import { isConvertible, readUnit, type Unit } from "../../domain/ghg/units.js";
import { isUuid } from "../../domain/texts/uuid.js";
import { AppError } from "../../errors.js";

/** What was done, and by what it is to be calculated: exactly one of `factorId`, `selector` and `gas`. */
export interface Activity {
  /** A decimal of any form. */
  readonly amount: string;
  readonly unit: string;
  readonly factorId?: string | null | undefined;
  readonly selector?: FactorSelector | null | undefined;
  readonly gas?: string | null | undefined;
  /** AR6 if omitted. */
  readonly gwp?: GwpSet | undefined;
  readonly fossil?: boolean | null | undefined;
}

export interface FactorSelector {
  readonly activity: string;
  readonly region: string;
  readonly year?: number | null | undefined;
  readonly scope?: EmissionScope | null | undefined;
  readonly gas?: string | null | undefined;
  readonly allowGlobal?: boolean | undefined;
}

/** What to mind about a calculation. */
export const CALCULATION_NOTICES = ["FACTOR_NEWER_THAN_ACTIVITY", "CO2_ONLY"] as const;
export type CalculationNotice = (typeof CALCULATION_NOTICES)[number];

export interface Calculation extends Co2e {
  /** Null if a gas was calculated by its global warming potential. */
  readonly factor: FactorRow | null;
  /** Why this factor. */
  readonly reason: string;
  readonly notices: readonly CalculationNotice[];
}

const AMOUNT = { integerDigits: 15, decimals: 12 };
const MOST_CANDIDATES = 10;
const NEAREST = 3;

/**
 * Calculates activities, in order. One that cannot be calculated is an AppError in its place: VALIDATION_FAILED,
 * UNIT_MISMATCH, FACTOR_NOT_FOUND or AMBIGUOUS_FACTOR. `year` is that of the activities whose selector has none.
 */
export async function calculateActivities(
  tenant: TenantReader,
  activities: readonly Activity[],
  year: number,
): Promise<(Calculation | AppError)[]> {
  const find = await createFactorFinder(tenant, activities);
  return activities.map((activity) => {
    try {
      return calculate(activity, find, year);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  });
}

/** The factors of some activities, read in two statements. */
interface FactorFinder {
  /** The factors by these ids. */
  readonly byId: (id: string) => FactorRow | undefined;
  /** The factors of this name, in any case. */
  readonly byName: (name: string) => readonly FactorRow[];
  readonly nearestTo: (name: string) => readonly string[];
}

async function createFactorFinder(
  tenant: TenantReader,
  activities: readonly Activity[],
): Promise<FactorFinder> {
  const wanted = new Set(activities.flatMap(({ selector }) => selector?.activity.toLowerCase() ?? []));
  const ids = activities.flatMap(({ factorId }) => (factorId && isUuid(factorId) ? [factorId] : []));
  const known = wanted.size === 0 ? [] : await listFactorNames(tenant);
  const spellings = [...new Set(known.filter(({ verified }) => verified).flatMap(spellingsOf))];
  const asked = spellings.filter((name) => wanted.has(name.toLowerCase()));
  const factors = ids.length + asked.length === 0 ? [] : await findFactors(tenant, ids, asked);
  let nearest: ReturnType<typeof createNearestNames> | undefined;
  return {
    byId: (id) => factors.find((factor) => factor.id === id.toLowerCase()),
    byName: (name) =>
      factors.filter((factor) => spellingsOf(factor).some((one) => one.toLowerCase() === name.toLowerCase())),
    nearestTo: (name) => {
      nearest ??= createNearestNames(spellings, NEAREST);
      return nearest(name);
    },
  };
}

function calculate(activity: Activity, find: FactorFinder, year: number): Calculation {
  const { factorId, selector, gas } = activity;
  const amount = readDecimal(activity.amount, AMOUNT);
  if (amount === undefined || amount.startsWith("-")) {
    throw invalid(
      `amount: expected 0 to 10^${AMOUNT.integerDigits} with at most ${AMOUNT.decimals} decimals, got ${activity.amount}`,
    );
  }
  if ([factorId, selector, gas].filter((given) => given != null).length !== 1) {
    throw invalid("expected exactly one of a factor's id, a selector and a gas");
  }
  const unit = readUnit(activity.unit);
  if (gas != null) return calculateGas(amount, unit, gas, activity);
  return calculateBy(
    selector ? select(selector, unit, find, year) : pick(factorId ?? "", unit, find),
    amount,
    unit,
  );
}

/** Calculates an amount, a plain decimal, by a factor that its unit converts to. */
export function calculateBy(
  { factor, reason, isNewer = false }: Chosen,
  amount: string,
  unit: Unit,
): Calculation {
  const rate = { factor: factor.factorExact, gas: gasOf(factor), unit: readUnit(factor.unit) };
  return {
    ...computeCo2e(amount, unit, rate),
    factor,
    reason,
    notices: [
      ...(isNewer ? (["FACTOR_NEWER_THAN_ACTIVITY"] as const) : []),
      ...(factor.gas === "CO2" ? (["CO2_ONLY"] as const) : []),
    ],
  };
}

/** What a factor counts. Those of one gas but CO2 are global warming potentials. */
const gasOf = ({ gas }: FactorRow): string => (gas === "CO2" ? gas : "CO2e");

const invalid = (message: string) => new AppError("VALIDATION_FAILED", message);

interface Chosen {
  readonly factor: FactorRow;
  readonly reason: string;
  readonly isNewer?: boolean;
}

function pick(id: string, unit: Unit, find: FactorFinder): Chosen {
  const factor = find.byId(id);
  if (!factor) throw new AppError("FACTOR_NOT_FOUND", `There is no emission factor with the id ${id}.`);
  if (!isConvertible(unit, readUnit(factor.unit))) throw mismatch(factor.unit, unit);
  return { factor, reason: "chosen by its id" };
}

function mismatch(expected: string, { name }: Unit): AppError {
  return new AppError(
    "UNIT_MISMATCH",
    `unit: expected one that converts to ${expected}, got ${name}. Gross and net calorific values, Nm3 and m3, and volume and mass are never converted.`,
  );
}

function select(selector: FactorSelector, unit: Unit, find: FactorFinder, year: number): Chosen {
  const { activity, region, allowGlobal = false } = selector;
  const wish = {
    region,
    allowGlobal,
    unit,
    scope: selector.scope ?? null,
    gas: selector.gas ?? null,
    year: selector.year ?? year,
  };
  const candidates = find.byName(activity).map((row) => ({ ...row, unit: readUnit(row.unit), row }));
  const { factors, isNewer } = chooseFactor(candidates, wish);
  const [only, ...others] = factors.map(({ row }) => row);
  if (!only) throw notFound(selector, unit, find);
  if (others.length > 0) throw ambiguous([only, ...others]);
  const time = isNewer ? `the oldest, as all are newer than ${wish.year}` : `the latest up to ${wish.year}`;
  return { factor: only, isNewer, reason: `${time}, of ${only.activity} in ${only.region}` };
}

/** Says by which part of the selector, or by the unit, no factor is left. */
function notFound(
  { activity, region, scope, gas, allowGlobal }: FactorSelector,
  unit: Unit,
  find: FactorFinder,
): AppError {
  const name = JSON.stringify(activity);
  const named = find.byName(activity).filter(({ verified }) => verified);
  const isIn = (one: string) => one.toLowerCase() === region.toLowerCase();
  const own = named.filter((factor) => isIn(factor.region));
  const inRegion = own.length === 0 && allowGlobal ? named.filter((factor) => isGlobal(factor.region)) : own;
  const inScope = inRegion.filter((factor) => scope == null || factor.scope === scope);
  const ofGas = inScope.filter((factor) => gas == null || factor.gas.toLowerCase() === gas.toLowerCase());
  const refuse = (fault: string) => new AppError("FACTOR_NOT_FOUND", fault);
  if (ofGas.length > 0) {
    const units = listSome(ofGas.map((factor) => factor.unit));
    return refuse(`unit: ${name} in ${region} has factors per ${units}; got ${unit.name}`);
  }
  if (inScope.length > 0) {
    return refuse(
      `selector.gas: ${name} in ${region} has factors of ${listSome(inScope.map((factor) => factor.gas))}; got ${gas}`,
    );
  }
  if (inRegion.length > 0) {
    return refuse(
      `selector.scope: ${name} in ${region} has factors of ${listSome(inRegion.map((factor) => factor.scope))}; got ${scope}`,
    );
  }
  if (named.length > 0) {
    return refuse(
      `selector.region: ${name} has factors for ${listSome(named.map((factor) => factor.region))}; got ${region}`,
    );
  }
  const nearest = find.nearestTo(activity);
  const advice =
    nearest.length === 0
      ? "No emission factors are loaded: the gateway's operator loads them with load-factors."
      : `The nearest names are ${nearest.map((each) => JSON.stringify(each)).join(", ")}.`;
  return new AppError(
    "FACTOR_NOT_FOUND",
    `selector.activity: there is no verified emission factor of ${name}. ${advice}`,
    { extensions: { nearest } },
  );
}

const isGlobal = (region: string): boolean => region.toLowerCase() === "global";

/** Lists different values, at most 10 of them. */
function listSome(values: readonly string[]): string {
  const different = [...new Set(values)].sort();
  const others = different.length - MOST_CANDIDATES;
  return different.slice(0, MOST_CANDIDATES).join(", ") + (others > 0 ? ` and ${others} more` : "");
}

function ambiguous(factors: readonly FactorRow[]): AppError {
  const candidates = factors.slice(0, MOST_CANDIDATES);
  const described = candidates.map(({ id, activity, detail, scope, category, gas, unit, sourceYear }) => {
    const traits = [detail, scope.replace("_", " "), category, `kg ${gas} per ${unit}`, sourceYear];
    return `${id} (${[activity, ...traits].filter(Boolean).join("; ")})`;
  });
  const more = factors.length - candidates.length;
  return new AppError(
    "AMBIGUOUS_FACTOR",
    `${factors.length} emission factors fit. Choose one by its id: ${described.join(", ")}${more > 0 ? `, and ${more} more` : ""}.`,
    { extensions: { candidates: candidates.map(({ id }) => id) } },
  );
}

function calculateGas(
  amount: string,
  unit: Unit,
  wanted: string,
  { gwp = "AR6", fossil }: Activity,
): Calculation {
  const gas = findGas(wanted);
  if (gas === undefined) {
    throw invalid(`gas: expected CO2, CH4, N2O, SF6, NF3 or a refrigerant such as R-410A, got ${wanted}`);
  }
  if (fossil != null && gas !== "CH4") throw invalid(`fossil: expected it for CH4 alone, got it for ${gas}`);
  const potential = findPotential(gas, gwp, fossil === true);
  if (potential === undefined) {
    const sets = GWP_SETS.filter((set) => findPotential(gas, set, false) !== undefined);
    throw invalid(`gwp: expected ${sets.join(" or ")} for ${gas}, got ${gwp}`);
  }
  const kilogram = readUnit("kg");
  if (!isConvertible(unit, kilogram)) throw mismatch("kg", unit);
  const origin = gas === "CH4" ? ` (${fossil ? "" : "not "}fossil)` : "";
  return {
    ...computeCo2e(amount, unit, { factor: potential, gas: "CO2e", unit: kilogram }),
    factor: null,
    reason: `global warming potential of ${gas}${origin} over 100 years, ${gwp}`,
    notices: [],
  };
}
