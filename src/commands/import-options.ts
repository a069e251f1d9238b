import { type Command, InvalidArgumentError, Option } from "commander";
import { EMISSION_SCOPES } from "../domain/enums.js";
import { SUPPORTED_DATE } from "../domain/window.js";
import { OperatorError } from "../errors.js";
import { FACILITY_FIELDS, FIELDS, type Field, isWide, NOT_WIDE } from "./import-columns.js";
import { readCountry } from "./import-country.js";
import { readDay } from "./import-rows.js";

/** What the command line says of a file and of how to read it. */
export interface ImportOptions {
  readonly organization: string;
  readonly delimiter: string;
  readonly decimalComma: boolean;
  readonly thousands: boolean;
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
export interface RawImportOptions extends Omit<ImportOptions, "blank" | "ignore" | "map" | "set"> {
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

const collect = (text: string, earlier: readonly string[] = []) => [...earlier, text.trim()];

/** Adds the options of `import` that describe a file. */
export function addImportOptions(command: Command): Command {
  const option = (flags: string, description: string) => new Option(flags, description);
  return command
    .addOption(
      option("--map <field=column>", "the column that a field is in, by name or number (#7)").argParser(
        readPair,
      ),
    )
    .addOption(option("--set <field=text>", "what a field is in every row").argParser(readPair))
    .addOption(
      option(
        "--ignore <column>",
        "a column that is not read though it has a field's name; may be given several times",
      ).argParser(collect),
    )
    .addOption(
      option("--delimiter <character>", "what separates fields").argParser(readDelimiter).default(","),
    )
    .option("--decimal-comma", "amounts have a decimal comma", false)
    .option("--thousands", "amounts may have their digits in groups", false)
    .addOption(option("--skip-lines <number>", "lines before the header").argParser(readLines).default(0))
    .addOption(
      option("--blank <text>", "a text that means nothing; may be given several times").argParser(collect),
    )
    .option("--skip-blank", "leave out rows whose amount is blank, and count them", false)
    .option("--create-facilities", "make the facilities that are not there yet", false)
    .addOption(option("--country <code>", "country of new facilities").argParser(readCountryOption))
    .option("--dry-run", "check the file, and change nothing", false);
}

/** The options, when they fit each other. Throws OperatorError for bad usage. */
export function readImportOptions(raw: RawImportOptions): ImportOptions {
  const { json: _, map = new Map(), set = new Map(), ignore = [], blank = [], ...rest } = raw;
  const options = { ...rest, country: raw.country, map, set, ignore, blank: new Set(blank) };
  const complaint = findComplaint(options);
  if (complaint !== undefined) throw new OperatorError(`error: ${complaint}`, 2);
  return options;
}

function findComplaint({ map, set, createFacilities, country }: ImportOptions): string | undefined {
  const given = [...map.keys(), ...set.keys()];
  const both = given.find((field, index) => given.indexOf(field) !== index);
  if (both) return `${both} is both mapped and set`;
  const scope = set.get("scope");
  if (scope !== undefined && !EMISSION_SCOPES.some((known) => known === scope)) {
    return `--set scope: expected one of ${EMISSION_SCOPES.join(", ")}, got ${JSON.stringify(scope)}`;
  }
  const day = set.get("recorded_on");
  if (day !== undefined && readDay(day) === undefined) {
    return `--set recorded_on: expected ${SUPPORTED_DATE}, or a year, got ${JSON.stringify(day)}`;
  }
  const facilityField = FACILITY_FIELDS.find((field) => given.includes(field));
  if (!createFacilities && facilityField) return `${facilityField} is of use with --create-facilities alone`;
  if (!createFacilities && country !== undefined) return "--country is of use with --create-facilities alone";
  const needless = NOT_WIDE.find((field) => given.includes(field));
  if (isWide({ map, set }) && needless) {
    return `${needless} cannot be given for a file that has a column for each scope`;
  }
  return undefined;
}
