import { findRegion } from "../../regions/regions.js";
import { InvalidInput } from "../action-error.js";

/** Returns the code of a region. Throws InvalidInput for an unknown region. */
export function readRegion(field: string, text: string): string {
  const region = findRegion(text);
  if (region) return region.code;
  const expected = "must be a country's code or name, EU or Global";
  throw new InvalidInput("mapping", field, `${expected} (got ${text.slice(0, 100)})`);
}
