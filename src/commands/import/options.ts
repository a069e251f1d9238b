import { type Command, InvalidArgumentError, Option } from "commander";
import { IMPORT_QUESTIONS, type ImportQuestion } from "../../domain/emissions/questions.js";
import { isoDate } from "../../domain/window.js";
import { OperatorError } from "../../errors.js";
import type { CsvOptions } from "../../files/csv/csv-options.js";
import { FIELDS, type Field } from "../../files/csv/fields.js";
import { completeOptions, type GivenOptions, OPTION_TEXTS } from "../../files/csv/given-options.js";
import { ENCODINGS } from "../../files/csv/input/encoding.js";
import { describeSuggestion } from "./describe-problems.js";

/** Options of `import`: the organization, the format of the file, and how to treat problems. */
export interface ImportCommandOptions extends CsvOptions {
  readonly organization: string;
  readonly dryRun: boolean;
  readonly skipErrors: boolean;
  readonly accept: readonly ImportQuestion[];
}

/** The options, as Commander returns them. */
export interface RawImportOptions extends GivenOptions {
  readonly organization: string;
  readonly dryRun: boolean;
  readonly skipErrors: boolean;
  readonly accept?: readonly ImportQuestion[];
  readonly json?: boolean;
}

/** Adds the options of `import`, except those that most commands have. */
export function addImportOptions(command: Command): Command {
  const option = (flags: string, description: string) => new Option(flags, description);
  return command
    .addOption(
      option(
        "--map <field=column>",
        `read a field from a column, by name or number (#7); repeatable. Fields: ${FIELDS.join(", ")}`,
      ).argParser(readPair),
    )
    .addOption(
      option("--set <field=text>", "set a field to the same value in every row; repeatable").argParser(
        readPair,
      ),
    )
    .addOption(
      option("--ignore <column>", "ignore a column that is named like a field; repeatable").argParser(
        collect,
      ),
    )
    .addOption(
      option("--encoding <encoding>", `encoding of the file: ${ENCODINGS.join(", ")}`)
        .argParser(parserOf("encoding"))
        .default("utf-8"),
    )
    .addOption(
      option("--delimiter <character>", "field delimiter (\\t for a tab)")
        .argParser(parserOf("delimiter"))
        .default(","),
    )
    .option("--decimal-comma", "amounts have a decimal comma, such as 1,5", false)
    .option("--thousands", "amounts may have thousands separators", false)
    .addOption(
      option("--locale <locale>", "locale of the numbers, such as de-DE").argParser(parserOf("locale")),
    )
    .addOption(
      option(
        "--unit <unit>",
        "unit of all amounts: t, kg, g, lb, short-ton, long-ton, kt, Mt or Gt; emissions without a unit are in tonnes",
      ).argParser(parserOf("unit")),
    )
    .option("--round", "round amounts to 6 decimals, and report how many rows were rounded", false)
    .addOption(
      option("--date-format <format>", "date format, such as DD.MM.YYYY or M/D/YY").argParser(
        parserOf("dateFormat"),
      ),
    )
    .option("--keep-totals", "import a row even if it is the sum of all others", false)
    .option("--literal", "keep the apostrophe that exports put before text that looks like a formula", false)
    .addOption(
      option("--skip-lines <number>", "number of lines before the header")
        .argParser(parserOf("skipLines"))
        .default(0),
    )
    .addOption(
      option("--blank <text>", "text that means an empty field, such as NA; repeatable").argParser(collect),
    )
    .option("--skip-blank", "skip blank amounts, and report how many were skipped", false)
    .option("--create-facilities", "create facilities that do not exist yet", false)
    .addOption(
      option("--country <country>", "country of the new facilities, such as IN").argParser(
        parserOf("country"),
      ),
    )
    .addOption(
      option(
        "--accept <code>",
        `import despite a probable error; repeatable. Codes: ${IMPORT_QUESTIONS.join(", ")}`,
      ).argParser(readQuestion),
    )
    .option(
      "--skip-errors",
      "skip rows with problems, and list the problems; a file with more than 10,000 is refused",
      false,
    )
    .option("--dry-run", "check the file without importing it", false);
}

/** Reads the options of `import`. Throws OperatorError if they contradict each other. */
export function readImportOptions(raw: RawImportOptions, now: Date): ImportCommandOptions {
  const { organization, dryRun, skipErrors, accept = [] } = raw;
  const options = completeOptions(raw, isoDate(now));
  if (!("message" in options)) return { ...options, organization, dryRun, skipErrors, accept };
  const needs = options.needs === undefined ? "" : ` and needs ${describeSuggestion(options.needs)}`;
  throw new OperatorError(`error: ${options.message}${needs}`, 2);
}

function readPair(text: string, earlier: ReadonlyMap<Field, string> = new Map()): Map<Field, string> {
  const at = text.indexOf("=");
  const field = FIELDS.find((known) => known === text.slice(0, Math.max(at, 0)).trim());
  const value = text.slice(at + 1).trim();
  if (field === undefined || value === "") {
    throw new InvalidArgumentError(`Expected <field>=<text>, with one of the fields ${FIELDS.join(", ")}.`);
  }
  if (earlier.has(field)) throw new InvalidArgumentError(`${field} is given twice.`);
  return new Map([...earlier, [field, value]]);
}

function readQuestion(text: string, earlier: readonly ImportQuestion[] = []): ImportQuestion[] {
  const code = IMPORT_QUESTIONS.find((known) => known === text);
  if (code === undefined) throw new InvalidArgumentError(`Expected one of ${IMPORT_QUESTIONS.join(", ")}.`);
  return [...earlier, code];
}

const collect = (text: string, earlier: readonly string[] = []) => [...earlier, text.trim()];

/** Creates the parser of an option. The parser throws InvalidArgumentError. */
function parserOf(name: keyof typeof OPTION_TEXTS): (text: string) => string | number | object {
  const { read, expected } = OPTION_TEXTS[name];
  return (text) => {
    const value = read(text);
    if (value === undefined) throw new InvalidArgumentError(`Expected ${expected}.`);
    return value;
  };
}
