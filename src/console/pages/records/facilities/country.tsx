import { COUNTRIES, countryOf } from "../../../parts/countries.js";
import { Select } from "../../../parts/fields/select.js";
import { textOf } from "../../../parts/forms/values.js";

/** The country field of a facility. */
export const CountryField = ({ value }: { value: string }) => (
  <Select
    label="Country"
    name="country"
    options={COUNTRIES}
    labelOf={countryOf}
    value={value}
    none="Not specified"
  />
);

/** Reads the country from a form; null if it is empty. */
export const readCountry = (values: FormData): string | null => textOf(values, "country") || null;
