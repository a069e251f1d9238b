import { EXPECTED_COUNTRY, readCountry } from "../../files/csv/values/country.js";
import { InvalidInput } from "../action-error.js";

/** Reads the code of a region. Throws InvalidInput for an unknown one. */
export function readRegion(field: string, text: string): string {
  const code = readCountry(text);
  if (code !== undefined) return code;
  throw new InvalidInput("mapping", field, `must be ${EXPECTED_COUNTRY} (got ${text.slice(0, 100)})`);
}
