import { type FactorPurpose, YEARS } from "../factor-search/factor-series.js";

/**
 * Creates a function that finds the factors of a set with the same purpose as a given one: a common name, and the same
 * region, scope, category, gas, unit and detail. Ignores case, and years in the detail, such as `FY 2025-26`.
 */
export function createCounterparts<Factor extends FactorPurpose>(
  set: readonly Factor[],
): (factor: FactorPurpose) => readonly Factor[] {
  const byPurpose = new Map<string, Factor[]>();
  for (const factor of set) {
    for (const purpose of purposesOf(factor)) {
      byPurpose.set(purpose, [...(byPurpose.get(purpose) ?? []), factor]);
    }
  }
  return (factor) => [...new Set(purposesOf(factor).flatMap((purpose) => byPurpose.get(purpose) ?? []))];
}

/** Returns one string per name of a factor, equal for factors with the same purpose. */
const purposesOf = ({ activity, otherName, detail, ...rest }: FactorPurpose): string[] =>
  [activity, otherName].flatMap((name) => {
    const { region, scope, category, gas, unit } = rest;
    const parts = [name, region, scope, category, gas, unit, detail?.replaceAll(YEARS, "").trim() || null];
    return name === null ? [] : JSON.stringify(parts).toLowerCase();
  });
