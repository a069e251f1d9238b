import { type Command, InvalidArgumentError, Option } from "commander";
import { type IsoDate, isoDate } from "../domain/window.js";
import { OperatorError } from "../errors.js";
import { FACILITY_FIELDS, FIELDS, type Field, isWide, NOT_WIDE } from "../files/csv/columns.js";
import { readCountry } from "../files/csv/country.js";
import { type DateFormat, readDateFormat, readRecordedOn } from "../files/csv/dates.js";
import { EXPECTED_SCOPE, readScopeName } from "../files/csv/rows.js";
import { EXPECTED_UNIT, readUnit } from "../files/csv/units.js";

/** What the command line says of a file and of how to read it. */
export interface ImportOptions {
  readonly organization: string;
  readonly delimiter: string;
  readonly decimalComma: boolean;
  readonly thousands: boolean;
  readonly round: boolean;
  readonly dateFormat: DateFormat | undefined;
  /** A month or a year that has not ended by then is not a date. */
  readonly today: IsoDate;
  readonly keepTotals: boolean;
  readonly createFacilities: boolean;
  readonly country: string | undefined;
  readonly dryRun: boolean;
  readonly map: ReadonlyMap<Field, string>;
  readonly set: ReadonlyMap<Field, string>;
  readonly ignore: readonly string[];
  readonly skipLines: number;
  readonly blank: ReadonlySet<string>;
  readonly skipBlank: boolean;
}

/** The options as commander leaves them. */
export interface RawImportOptions extends Omit<ImportOptions, "blank" | "ignore" | "map" | "set" | "today"> {
  readonly unit?: string;
  readonly map?: ReadonlyMap<Field, string>;
  readonly set?: ReadonlyMap<Field, string>;
  readonly ignore?: readonly string[];
  readonly blank?: readonly string[];
  readonly json?: boolean;
}

function readPair(text: string, earlier: ReadonlyMap<Field, string> = new Map()): Map<Field, string> {
  const at = text.indexOf("=");
  const field = FIELDS.find((known) => known === text.slice(0, Math.max(at, 0)).trim());
  const value = text.slice(at + 1).trim();
  if (field === undefined || value === "") {
    throw new InvalidArgumentError(
      `Expected <field>=<text>, where the field is one of ${FIELDS.join(", ")}.`,
    );
  }
  if (earlier.has(field)) throw new InvalidArgumentError(`${field} is given twice.`);
  return new Map([...earlier, [field, value]]);
}

function readDelimiter(text: string): string {
  const delimiter = text === "\\t" ? "\t" : text;
  if (delimiter.length !== 1 || /["\r\n\0]/.test(delimiter)) {
    throw new InvalidArgumentError("Expected one character, such as ';', or \\t for a tab.");
  }
  return delimiter;
}

function readLines(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("Expected a number of lines.");
  return Number(text);
}

function readCountryOption(text: string): string {
  const country = readCountry(text);
  if (country === undefined) throw new InvalidArgumentError("Expected a country of ISO 3166-1, such as IN.");
  return country;
}

function readUnitOption(text: string): string {
  const unit = readUnit(text);
  if (unit === undefined) throw new InvalidArgumentError(`Expected ${EXPECTED_UNIT}.`);
  return unit;
}

function readDateFormatOption(text: string): DateFormat {
  const format = readDateFormat(text);
  if (format === undefined) {
    throw new InvalidArgumentError(
      "Expected years (YYYY, YY), months (MM, M, MMM) and days (DD, D), such as DD.MM.YYYY.",
    );
  }
  return format;
}

const collect = (text: string, earlier: readonly string[] = []) => [...earlier, text.trim()];

/** Adds the options of `import` that describe a file. */
export function addImportOptions(command: Command): Command {
  const option = (flags: string, description: string) => new Option(flags, description);
  return command
    .addOption(
      option(
        "--map <field=column>",
        `read a field from a column, given by name or number (#7); repeatable. Fields: ${FIELDS.join(", ")}`,
      ).argParser(readPair),
    )
    .addOption(
      option("--set <field=text>", "give a field the same value in every row; repeatable").argParser(
        readPair,
      ),
    )
    .addOption(
      option("--ignore <column>", "do not read a column that has a field's name; repeatable").argParser(
        collect,
      ),
    )
    .addOption(
      option("--delimiter <character>", "character that separates fields (\\t for a tab)")
        .argParser(readDelimiter)
        .default(","),
    )
    .option("--decimal-comma", "amounts have a decimal comma, such as 1,5", false)
    .option("--thousands", "amounts may have thousands separators", false)
    .addOption(
      option(
        "--unit <unit>",
        "unit of the amounts: t, kg, g, lb, short-ton, long-ton, kt, Mt or Gt",
      ).argParser(readUnitOption),
    )
    .option("--round", "round amounts to 6 decimals, and count them", false)
    .addOption(
      option("--date-format <format>", "how dates are written, such as DD.MM.YYYY or M/D/YY").argParser(
        readDateFormatOption,
      ),
    )
    .option("--keep-totals", "import a row even if it is the sum of all others", false)
    .addOption(
      option("--skip-lines <number>", "number of lines before the header").argParser(readLines).default(0),
    )
    .addOption(
      option("--blank <text>", "text that stands for an empty field, such as NA; repeatable").argParser(
        collect,
      ),
    )
    .option("--skip-blank", "skip rows without an amount, and count them", false)
    .option("--create-facilities", "create facilities that do not exist yet", false)
    .addOption(
      option("--country <country>", "country of the new facilities, such as IN").argParser(readCountryOption),
    )
    .option("--dry-run", "check the file without changing anything", false);
}

/** The options, if they fit each other. Throws OperatorError for bad usage. */
export function readImportOptions(raw: RawImportOptions, now: Date): ImportOptions {
  const { json: _, unit, map = new Map(), set: given = new Map(), ignore = [], blank = [], ...rest } = raw;
  if (unit !== undefined && given.has("unit")) throw new OperatorError("error: unit is given twice", 2);
  const set = unit === undefined ? given : new Map([...given, ["unit" as const, unit]]);
  const { country, dateFormat } = raw;
  const today = isoDate(now);
  const options = { ...rest, country, dateFormat, today, map, set, ignore, blank: new Set(blank) };
  const complaint = findComplaint(options);
  if (complaint !== undefined) throw new OperatorError(`error: ${complaint}`, 2);
  return options;
}

function findComplaint({ map, set, createFacilities, country, today }: ImportOptions): string | undefined {
  const given = [...map.keys(), ...set.keys()];
  const both = given.find((field, index) => given.indexOf(field) !== index);
  if (both) return `${both} is both mapped and set`;
  const date = readRecordedOn(set.get("recorded_on") ?? today, { today, dateFormat: undefined });
  const wrong: readonly (readonly [Field, string | false])[] = [
    ["recorded_on", "expected" in date && date.expected],
    ["scope", readScopeName(set.get("scope") ?? "1") === undefined && EXPECTED_SCOPE],
    ["unit", readUnit(set.get("unit") ?? "t") === undefined && EXPECTED_UNIT],
    ["country", readCountry(set.get("country") ?? "IN") === undefined && "a country of ISO 3166-1"],
  ];
  for (const [field, expected] of wrong) {
    if (expected) return `--set ${field}: expected ${expected}, got ${JSON.stringify(set.get(field))}`;
  }
  const facilityField = FACILITY_FIELDS.find((field) => given.includes(field));
  if (!createFacilities && facilityField) return `${facilityField} needs --create-facilities`;
  if (!createFacilities && country !== undefined) return "--country needs --create-facilities";
  const needless = NOT_WIDE.find((field) => given.includes(field));
  if (isWide({ map, set }) && needless) {
    return `${needless} cannot be given for a file that has a column for each scope`;
  }
  return undefined;
}
