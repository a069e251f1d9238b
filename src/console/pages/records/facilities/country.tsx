import type { Problem } from "../../../gateway/failure.js";
import { Field } from "../../../parts/forms/field.js";
import { textOf } from "../../../parts/forms/form.js";

const names = new Intl.DisplayNames(undefined, { type: "region" });

/** What people call a country by its ISO 3166-1 code. */
export const countryOf = (code: string): string => names.of(code) ?? code;

/** The field of a facility's country. */
export const CountryField = ({ value }: { value: string }) => (
  <Field label="Country" name="country" value={value} hint="Two letters (ISO 3166-1), such as IN or GB" />
);

/** The country in a form; null if it is left out. */
export const readCountry = (values: FormData): string | null =>
  textOf(values, "country").trim().toUpperCase() || null;

/** What is wrong with the country in a form, as far as a browser can tell. */
export function checkCountry(values: FormData): readonly Problem[] {
  const country = readCountry(values);
  if (country === null || /^[A-Z]{2}$/.test(country)) return [];
  return [{ path: "country", message: `Expected two letters such as IN, got ${country}.` }];
}
