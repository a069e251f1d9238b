import { COUNTRIES, countryOf } from "../../../parts/countries.js";
import { Select } from "../../../parts/fields/select.js";
import { textOf } from "../../../parts/forms/values.js";

/** The field of a facility's country. */
export const CountryField = ({ value }: { value: string }) => (
  <Select
    label="Country"
    name="country"
    options={COUNTRIES}
    call={countryOf}
    value={value}
    none="Not given"
  />
);

/** Reads the country in a form; null if it is empty. */
export const readCountry = (values: FormData): string | null => textOf(values, "country") || null;
