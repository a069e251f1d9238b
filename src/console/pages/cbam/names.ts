import type { CbamBasis, CbamObligation, CbamQuarter } from "../../../generated/console.js";
import { countryOf } from "../../parts/countries.js";
import { thisYear } from "../../parts/days.js";

/** Code that stands for all countries without default values of their own. */
export const OTHER_COUNTRIES = "ZZ";

/** Returns the name of a country of origin. */
export const originOf = (code: string): string =>
  code === OTHER_COUNTRIES ? "All other countries" : countryOf(code);

/** Labels of the methods that determine embedded emissions. */
export const BASES: Readonly<Record<CbamBasis, string>> = {
  DEFAULT: "Default values",
  ACTUAL: "Actual emissions",
};

/** Labels of the obligations that may result from a year's imports. */
export const OBLIGATIONS: Readonly<Record<CbamObligation, string>> = {
  SURRENDER: "Declare and surrender certificates",
  NONE_DE_MINIMIS: "None: at most 50 t imported",
};

/** The years for which the law sets the phase-out of free allocation. */
export const YEARS: readonly number[] = Array.from({ length: 9 }, (_, index) => 2026 + index);

/** Returns the current year, or the last year of the phase-out if that is earlier. */
export const currentYear = (): number => Math.min(thisYear(), YEARS.at(-1) ?? Number.NaN);

/** Quarters of the year, with their labels. */
export const QUARTERS: Readonly<Record<CbamQuarter, string>> = {
  Q1: "Q1, January to March",
  Q2: "Q2, April to June",
  Q3: "Q3, July to September",
  Q4: "Q4, October to December",
};
