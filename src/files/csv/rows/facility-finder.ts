import { randomUUID } from "node:crypto";
import { MAX_FACILITIES, type NewFacility } from "../../../domain/emissions/records.js";
import { EXPECTED_COUNTRY, readCountry } from "../../../regions/countries.js";
import type { RowRules } from "../csv-options.js";
import { quote } from "../problems.js";
import { copyText } from "./memoize.js";
import type { Row } from "./row.js";

/** A new facility, with the line and spelling of the first row that states its country. */
interface FacilityOfFile extends NewFacility {
  country: string | undefined;
  countryLine: number;
  written: string;
}

const MAX_CREATED = 10_000;

/** Finds the facilities that rows name. */
export interface FacilityFinder {
  /** New facilities by code. */
  readonly created: ReadonlyMap<string, NewFacility>;
  /**
   * Returns the id of the facility with a code, new or existing. If it is invalid, returns undefined and adds a
   * problem.
   */
  find(row: Row, code: string): string | undefined;
}

/** Creates a finder for one file; `known` has the organization's facilities by code. */
export function createFacilityFinder(
  known: ReadonlyMap<string, { readonly id: string }>,
  rules: Pick<RowRules, "createFacilities" | "country">,
): FacilityFinder {
  const created = new Map<string, FacilityOfFile>();
  return {
    created,
    find(row, code) {
      const stored = known.get(code);
      if (stored !== undefined) return stored.id;
      const written = row.textOf("country");
      let facility = created.get(code);
      if (facility === undefined) {
        if (!rules.createFacilities) {
          row.refuse("facility", "the code of an existing facility", quote(code), [
            { createFacilities: true },
          ]);
          return undefined;
        }
        if (created.size === MAX_CREATED) {
          row.refuse("facility", "at most 10,000 new facilities in a file", `one more, ${quote(code)}`);
          return undefined;
        }
        if (known.size + created.size >= MAX_FACILITIES) {
          row.refuse("facility", "at most 20,000 facilities in an organization", `one more, ${quote(code)}`);
          return undefined;
        }
        const name = copyText(row.readText("facility_name") ?? code);
        const { country } = rules;
        facility = {
          id: randomUUID(),
          code: copyText(code),
          name,
          country,
          countryLine: row.line,
          written: "",
        };
        created.set(facility.code, facility);
      }
      if (written !== "" && written !== facility.written) addCountry(row, written, facility);
      return facility.id;
    },
  };
}

/** Sets the country from the first row with one. A different one would mean a second facility with the same code. */
function addCountry(row: Row, written: string, facility: FacilityOfFile): void {
  const country = readCountry(written);
  if (country === undefined) {
    row.refuse("country", EXPECTED_COUNTRY, quote(written), [{ blank: true }]);
  } else if (facility.written === "") {
    Object.assign(facility, { country, countryLine: row.line, written: copyText(written) });
  } else if (country !== facility.country) {
    const got = `${quote(written)}, and ${facility.country} in line ${facility.countryLine}`;
    row.refuse("country", "the same country in every row of a facility", got);
  }
}
