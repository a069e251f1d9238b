import { type Command, InvalidArgumentError, Option } from "commander";
import { type ExportedFile, exportToFile } from "../actions/emissions/export/export-to-file.js";
import {
  EXPORT_COLUMNS,
  EXPORT_FORMATS,
  type ExportColumns,
  type ExportFormat,
} from "../domain/emissions/export-columns.js";
import { EMISSION_SCOPES, type EmissionScope } from "../domain/enums.js";
import { countOf } from "../domain/texts/count-of.js";
import { EARLIEST_DAY, isSupportedDate, LATEST_DAY } from "../domain/window.js";
import { AppError, OperatorError } from "../errors.js";
import { untilInterrupted } from "./import/interruption.js";
import {
  example,
  type FileOutput,
  forceOption,
  jsonOption,
  organizationOption,
  outputOption,
  requireNewFile,
} from "./options.js";
import type { Runner } from "./runner.js";

interface ExportOptions extends FileOutput {
  readonly organization: string;
  readonly format: ExportFormat;
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
  const textsOption = (flags: string, which: string) =>
    option(flags, `only records ${which}; repeatable`).argParser(collect);
  program
    .command("export")
    .description("export emission records to a file, from a consistent snapshot")
    .addOption(organizationOption())
    .addOption(outputOption())
    .addOption(forceOption())
    .addOption(option("--format <format>", "file format").choices(EXPORT_FORMATS).default("csv"))
    .addOption(
      option(
        "--columns <columns>",
        "import: the seven columns from recorded_on to reference; full: all columns",
      )
        .choices(Object.keys(EXPORT_COLUMNS))
        .default("import"),
    )
    .option("--bom", "start a CSV file with a byte order mark, so that Excel reads it as UTF-8", false)
    .option("--guard", "put an apostrophe before text that looks like a formula; the default for CSV")
    .option("--no-guard", "write such text unchanged")
    .addOption(option("--from <day>", "only records on or after this day").argParser(readDay))
    .addOption(option("--to <day>", "only records on or before this day").argParser(readDay))
    .addOption(
      option("--scope <scope...>", "only records in this scope; repeatable").choices(EMISSION_SCOPES),
    )
    .addOption(textsOption("--facility <code>", "of this facility"))
    .addOption(textsOption("--category <category>", "in this category"))
    .addOption(textsOption("--reference <reference>", "with this reference"))
    .option(
      "--q <text>",
      "only records that contain this text in the reference, category, source or note; ignores the case of A to Z",
    )
    .addOption(jsonOption())
    .addHelpText("after", example("export --organization acme --format parquet --output records.parquet"))
    .action(async ({ organization, output: path, force, json, ...given }: ExportOptions) => {
      requireNewFile(path, force);
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
      try {
        const exported = await untilInterrupted(say, (signal) =>
          withSchema(({ database }) =>
            exportToFile(database, {
              organization,
              filter,
              file: { format, columns, bom, guard },
              path,
              signal,
            }),
          ),
        );
        report({ file: path, organization, format, ...exported }, json, describe(path, exported));
      } catch (error) {
        if (error instanceof AppError && error.code === "BAD_REQUEST") {
          throw new OperatorError(`error: --${error.message}`, 2);
        }
        throw error;
      }
    });
}

const describe = (path: string, { rows, co2eTonnes, digest }: ExportedFile): string =>
  `${path}: ${countOf(rows, "record")}, ${co2eTonnes} tCO2e. Digest: ${digest}.`;

const collect = (text: string, earlier: readonly string[] = []) => [...earlier, text];

function readDay(text: string): string {
  if (isSupportedDate(text)) return text;
  throw new InvalidArgumentError(`Expected a date YYYY-MM-DD from ${EARLIEST_DAY} to ${LATEST_DAY}.`);
}
