import codes from "i18n-iso-countries/codes.json";

const names = new Intl.DisplayNames(undefined, { type: "region" });

/** Returns the name of a country by its ISO 3166-1 code. */
export const countryOf = (code: string): string => names.of(code) ?? code;

/** ISO 3166-1 codes, sorted by country name. */
export const COUNTRIES: readonly string[] = codes
  .map(([code = ""]) => code)
  .toSorted((one, other) => countryOf(one).localeCompare(countryOf(other)));
