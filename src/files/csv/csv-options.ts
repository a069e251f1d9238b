import { EXPECTED_COUNTRY, readCountry } from "../../regions/countries.js";
import { regionCodeOf } from "../../regions/regions.js";
import { FACILITY_FIELDS, type Field, NOT_WIDE, SCOPE_FIELDS } from "./fields.js";
import type { Encoding } from "./input/encoding.js";
import type { Suggestion } from "./problems.js";
import { type DateRules, readRecordedOn } from "./values/dates.js";
import type { AmountRules } from "./values/parse-amount.js";
import { EXPECTED_REGION } from "./values/region.js";
import { EXPECTED_SCOPE, readScope } from "./values/scope.js";

/** Options that select the columns or constants of fields. */
export interface ColumnOptions {
  /** Columns, by name or number (`#7`), that replace the column with the field's name. */
  readonly map: ReadonlyMap<Field, string>;
  /** Fields with the same string in every row. */
  readonly set: ReadonlyMap<Field, string>;
  /** Columns, by name or number, to skip although they have a field's name. */
  readonly ignore: readonly string[];
  readonly createFacilities: boolean;
  /**
   * Country of new facilities whose rows have none. If given, a column named `country` is read only if it is mapped.
   */
  readonly country: string | undefined;
}

/** Rules for reading a file's rows. */
export interface RowRules extends AmountRules, DateRules {
  readonly delimiter: string;
  /** True to keep the apostrophe that an export puts in front of some strings. */
  readonly literal: boolean;
  /** Strings that mean an empty field. */
  readonly blank: ReadonlySet<string>;
  /** True to skip blank amounts; otherwise they are reported as problems. */
  readonly skipBlank: boolean;
  readonly createFacilities: boolean;
  readonly country: string | undefined;
  /** True to read a row as a record even if it is the sum of all others. */
  readonly keepTotals: boolean;
}

/** Options for reading a CSV file. */
export interface CsvOptions extends ColumnOptions, RowRules {
  /** Undefined for UTF-8. */
  readonly encoding: Encoding | undefined;
  /** Lines before the header. */
  readonly skipLines: number;
}

/** Returns true if a file has its own column, or a constant, for at least one scope. */
export function isWide({ map, set }: Pick<ColumnOptions, "map" | "set">): boolean {
  return SCOPE_FIELDS.some((field) => map.has(field) || set.has(field));
}

/** A contradiction between options, or an invalid constant. */
export interface OptionProblem {
  readonly message: string;
  /** The option to add. */
  readonly needs?: Suggestion;
}

/** Returns the first problem of the options, whatever the file; undefined if they are valid. */
export function findOptionProblem(options: CsvOptions): OptionProblem | undefined {
  const { map, set, createFacilities, country } = options;
  const given = [...map.keys(), ...set.keys()];
  const both = given.find((field, index) => given.indexOf(field) !== index);
  if (both) return { message: `${both} is both mapped and set` };
  const unreadable = findUnreadable(options);
  if (unreadable) return unreadable;
  const facilityField = FACILITY_FIELDS.find((field) => given.includes(field));
  const needsCreation = facilityField ?? (country === undefined ? undefined : "country");
  if (!createFacilities && needsCreation) {
    return { message: `${needsCreation} is only for new facilities`, needs: { createFacilities: true } };
  }
  if (options.locale !== undefined && (options.decimalComma || options.thousands)) {
    return { message: "locale cannot be combined with other options for numbers" };
  }
  const unfit = NOT_WIDE.find((field) => given.includes(field));
  if (isWide(options) && unfit) {
    return { message: `${unfit} cannot be used for a file with a column for each scope` };
  }
  return undefined;
}

function findUnreadable({ set, today }: CsvOptions): OptionProblem | undefined {
  const date = readRecordedOn(set.get("recorded_on") ?? today, { today, dateFormat: undefined });
  const checks: readonly (readonly [Field, string | false])[] = [
    ["recorded_on", "expected" in date && date.expected],
    ["scope", readScope(set.get("scope") ?? "1") === undefined && EXPECTED_SCOPE],
    ["region", regionCodeOf(set.get("region") ?? "IN") === null && EXPECTED_REGION],
    ["country", readCountry(set.get("country") ?? "IN") === undefined && EXPECTED_COUNTRY],
  ];
  for (const [field, expected] of checks) {
    if (expected) return { message: `${field}: expected ${expected}, got ${JSON.stringify(set.get(field))}` };
  }
  return undefined;
}
