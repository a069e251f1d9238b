import { snakeCase } from "../../domain/texts/snake-case.js";
import type { IsoDate } from "../../domain/window.js";
import { readCountry } from "../../regions/countries.js";
import { type CsvOptions, findOptionProblem, type OptionProblem } from "./csv-options.js";
import { readDelimiter } from "./input/delimiter.js";
import { ENCODINGS, readEncoding } from "./input/encoding.js";
import type { Problem } from "./problems.js";
import { readDateFormat } from "./values/dates.js";
import { EXPECTED_UNIT, readUnit } from "./values/read-unit.js";

/** Options with restricted values. `read` returns undefined for an invalid string. */
export const OPTION_TEXTS = {
  encoding: { read: readEncoding, expected: `one of ${ENCODINGS.join(", ")}` },
  delimiter: { read: readDelimiter, expected: "one character, such as ';', or \\t for a tab" },
  unit: { read: readUnit, expected: EXPECTED_UNIT },
  dateFormat: {
    read: readDateFormat,
    expected: "years (YYYY, YY), months (MM, M, MMM) and days (DD, D), such as DD.MM.YYYY",
  },
  skipLines: {
    read: (text: string) => (/^\d{1,6}$/.test(text) ? Number(text) : undefined),
    expected: "a number of lines",
  },
  locale: { read: readLocale, expected: "a locale, such as de-DE or en-GB" },
  country: { read: readCountry, expected: "an ISO 3166-1 country, such as IN" },
} as const;

/** Options of a file that a caller can give. All are optional. */
export type GivenOptions = {
  readonly [Name in keyof Omit<CsvOptions, "blank" | "today">]?: CsvOptions[Name] | undefined;
} & {
  /** The unit of all amounts. */
  readonly unit?: string | undefined;
  readonly blank?: readonly string[] | undefined;
};

/** Adds the defaults. Returns a problem if options contradict each other, or if a constant is invalid. */
export function completeOptions(given: GivenOptions, today: IsoDate): CsvOptions | OptionProblem {
  const { unit, map = new Map(), blank = [] } = given;
  const set = new Map(given.set);
  if (unit !== undefined && set.has("unit")) return { message: "unit is given twice" };
  if (unit !== undefined) set.set("unit", unit);
  const options: CsvOptions = {
    today,
    map,
    set,
    blank: new Set(blank),
    ignore: given.ignore ?? [],
    encoding: given.encoding,
    delimiter: given.delimiter ?? ",",
    decimalComma: given.decimalComma ?? false,
    thousands: given.thousands ?? false,
    locale: given.locale,
    round: given.round ?? false,
    dateFormat: given.dateFormat,
    keepTotals: given.keepTotals ?? false,
    literal: given.literal ?? false,
    skipLines: given.skipLines ?? 0,
    skipBlank: given.skipBlank ?? false,
    createFacilities: given.createFacilities ?? false,
    country: given.country,
  };
  return findOptionProblem(options) ?? options;
}

/** Returns a BCP 47 locale in its canonical form; undefined for any other string. */
function readLocale(text: string): string | undefined {
  try {
    return text.length > 35 ? undefined : Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

/** Formats a suggested option as a query parameter: `map.scope=<column>`, `delimiter=\t`, `round=true`. */
export function describeOption(name: string, value: string | true): string {
  if (name === "map" || name === "set") return `${name}.${value}`;
  if (name === "blank") return "blank=<text>";
  return `${snakeCase(name)}=${value === "\t" ? "\\t" : value}`;
}

/** Describes the expected value, with the parameters that would help: `at most 6 decimals (or round=true)`. */
export function describeExpected({ expected, suggestions }: Problem): string {
  const options = suggestions.map((suggestion) =>
    Object.entries(suggestion)
      .map(([name, value]) => describeOption(name, value))
      .join("&"),
  );
  return options.length === 0 ? expected : `${expected} (or ${options.join(" or ")})`;
}
