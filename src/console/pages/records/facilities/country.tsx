import codes from "i18n-iso-countries/codes.json";
import { textOf } from "../../../parts/forms/form.js";
import { Select } from "../../../parts/forms/select.js";

const names = new Intl.DisplayNames(undefined, { type: "region" });

/** What people call a country by its ISO 3166-1 code. */
export const countryOf = (code: string): string => names.of(code) ?? code;

/** ISO 3166-1 codes in the order of their names. */
const CODES = codes
  .map(([code = ""]) => code)
  .toSorted((one, other) => countryOf(one).localeCompare(countryOf(other)));

/** The field of a facility's country. */
export const CountryField = ({ value }: { value: string }) => (
  <Select label="Country" name="country" options={CODES} call={countryOf} value={value} none="Not given" />
);

/** The country in a form; null if it is left out. */
export const readCountry = (values: FormData): string | null => textOf(values, "country") || null;
