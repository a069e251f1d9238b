import type { EmissionScope } from "../enums.js";
import { isConvertible, type Unit } from "./units.js";

/** What decides whether a factor is chosen. */
export interface FactorTraits {
  readonly region: string;
  readonly scope: EmissionScope;
  readonly gas: string;
  readonly unit: Unit;
  readonly sourceYear: number;
  readonly verified: boolean;
}

/** What is wanted of a factor of a known activity. */
export interface FactorWish {
  readonly region: string;
  readonly scope: EmissionScope | null;
  readonly gas: string | null;
  /** Of the amount. */
  readonly unit: Unit;
  /** The year of the activity. */
  readonly year: number;
  readonly allowGlobal: boolean;
}

export interface FactorChoice<Factor> {
  /** One that was chosen, none, or several of one year that are equally good. */
  readonly factors: readonly Factor[];
  /** Whether they are newer than the activity. */
  readonly isNewer: boolean;
}

const GLOBAL = "global";

/**
 * Chooses among the factors of an activity: those of the region, scope, gas and unit that are wanted; of these the latest
 * up to the year, else the oldest. Global ones are chosen only if the region has none.
 */
export function chooseFactor<Factor extends FactorTraits>(
  factors: readonly Factor[],
  wish: FactorWish,
): FactorChoice<Factor> {
  const suitable = factors.filter(
    ({ scope, gas, unit, verified }) =>
      verified &&
      (wish.scope === null || scope === wish.scope) &&
      (wish.gas === null || isSame(gas, wish.gas)) &&
      isConvertible(wish.unit, unit),
  );
  const inRegion = (region: string) => suitable.filter((factor) => isSame(factor.region, region));
  const own = inRegion(wish.region);
  const found = own.length === 0 && wish.allowGlobal ? inRegion(GLOBAL) : own;
  const years = found.map(({ sourceYear }) => sourceYear);
  const past = years.filter((year) => year <= wish.year);
  const isNewer = past.length === 0 && years.length > 0;
  const year = isNewer ? Math.min(...years) : Math.max(...past);
  return { factors: found.filter(({ sourceYear }) => sourceYear === year), isNewer };
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
