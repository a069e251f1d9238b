import { type Command, InvalidArgumentError, Option } from "commander";
import { type ExportedFile, exportToFile } from "../actions/emissions/export/export-to-file.js";
import {
  EXPORT_COLUMNS,
  EXPORT_FORMATS,
  type ExportColumns,
  type ExportFormat,
} from "../domain/emissions/export-columns.js";
import { EMISSION_SCOPES, type EmissionScope } from "../domain/enums.js";
import { EARLIEST_DAY, isSupportedDate, LATEST_DAY } from "../domain/window.js";
import { AppError, OperatorError } from "../errors.js";
import { watchInterruption } from "./import/interruption.js";
import { example, jsonOption, organizationOption } from "./options.js";
import { plural } from "./output/plural.js";
import type { Runner } from "./runner.js";

interface ExportOptions {
  readonly organization: string;
  readonly format: ExportFormat;
  readonly output: string;
  readonly columns: ExportColumns;
  readonly bom: boolean;
  readonly guard?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly scope?: readonly EmissionScope[];
  readonly facility?: readonly string[];
  readonly category?: readonly string[];
  readonly reference?: readonly string[];
  readonly q?: string;
  readonly json?: boolean;
}

/** Adds `export`. */
export function addExportCommand(program: Command, { withSchema, say, report }: Runner): void {
  const option = (flags: string, description: string) => new Option(flags, description);
  const textsOption = (flags: string, what: string) =>
    option(flags, `only records of this ${what}; repeatable`).argParser(collect);
  program
    .command("export")
    .description("write emission records to a file, of one state of the data")
    .addOption(organizationOption())
    .addOption(option("--output <file>", "the file; an existing one is replaced").makeOptionMandatory())
    .addOption(option("--format <format>", "format of the file").choices(EXPORT_FORMATS).default("csv"))
    .addOption(
      option("--columns <columns>", "the columns that an import reads, or all")
        .choices(Object.keys(EXPORT_COLUMNS))
        .default("import"),
    )
    .option("--bom", "begin a CSV file with the mark by which Excel recognizes UTF-8", false)
    .option("--guard", "put an apostrophe in front of texts that look like formulas; the default of CSV")
    .option("--no-guard", "write such texts unchanged")
    .addOption(option("--from <day>", "only records of this day or later").argParser(readDay))
    .addOption(option("--to <day>", "only records of this day or earlier").argParser(readDay))
    .addOption(
      option("--scope <scope...>", "only records of this scope; repeatable").choices(EMISSION_SCOPES),
    )
    .addOption(textsOption("--facility <code>", "facility"))
    .addOption(textsOption("--category <category>", "category"))
    .addOption(textsOption("--reference <reference>", "reference"))
    .option("--q <text>", "only records with this text in the reference, category, source or note")
    .addOption(jsonOption())
    .addHelpText("after", example("export --organization acme --format parquet --output records.parquet"))
    .action(async ({ organization, output: path, json, ...given }: ExportOptions) => {
      const { format, columns, bom, guard = format === "csv", scope, q, ...options } = given;
      const filter = {
        from: options.from,
        to: options.to,
        scopes: scope,
        facilities: options.facility,
        categories: options.category,
        references: options.reference,
        search: q,
      };
      const interruption = watchInterruption(({ message }) => say(message));
      try {
        const exported = await withSchema(({ database }) =>
          exportToFile(database, {
            organization,
            filter,
            file: { format, columns, bom, guard },
            path,
            signal: interruption.signal,
          }),
        );
        report({ file: path, organization, format, ...exported }, json, describe(path, exported));
      } catch (error) {
        if (error instanceof AppError && error.code === "BAD_REQUEST") {
          throw new OperatorError(`error: --${error.message}`, 2);
        }
        throw error;
      } finally {
        interruption.end();
      }
    });
}

const describe = (path: string, { rows, co2eTonnes, digest }: ExportedFile): string =>
  `${path}: ${plural(rows, "record")}, ${co2eTonnes} tCO2e. Digest: ${digest}.`;

const collect = (text: string, earlier: readonly string[] = []) => [...earlier, text];

function readDay(text: string): string {
  if (isSupportedDate(text)) return text;
  throw new InvalidArgumentError(`Expected a date YYYY-MM-DD from ${EARLIEST_DAY} to ${LATEST_DAY}.`);
}
