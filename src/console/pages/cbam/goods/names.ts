import type { CbamBasis } from "../../../../generated/console.js";
import { countryOf } from "../../../parts/countries.js";

/** The code of all countries without default values of their own. */
export const OTHER_COUNTRIES = "ZZ";

/** What people call a country of origin. */
export const originOf = (code: string): string =>
  code === OTHER_COUNTRIES ? "All other countries" : countryOf(code);

/** By what embedded emissions are reckoned. */
export const BASES: Readonly<Record<CbamBasis, string>> = {
  DEFAULT: "Default values",
  ACTUAL: "Actual emissions",
};
