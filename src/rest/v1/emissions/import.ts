import { z } from "zod";
import type { AdmittedContext } from "../../../access/context.js";
import type { ImportQuestion, Question } from "../../../domain/emissions/questions.js";
import type { EmissionScope } from "../../../domain/enums.js";
import { isoDate } from "../../../domain/window.js";
import { AppError } from "../../../errors.js";
import type { CsvOptions } from "../../../files/csv/csv-options.js";
import type { Field } from "../../../files/csv/fields.js";
import type { Problem } from "../../../files/csv/problems.js";
import {
  activitiesShape,
  columnShape,
  describeColumn,
  describeFileProblem,
  describeQuestion,
  fileProblemShape,
  questionShape,
} from "../../../http/answer/import-shapes.js";
import type { Input, ReceivedFile, UploadEndpoint } from "../../endpoint.js";
import { moduleParams, requireModule } from "../modules.js";
import { givenOptions, type ImportQuery, importQuery, readOptions } from "./import-query.js";

/** Imports a file into the caller's organization, up to a maximum size. */
export interface Importing {
  readonly maxBytes: number;
  importFile(
    context: AdmittedContext,
    file: Omit<ReceivedFile, "name"> & {
      readonly name: string;
      readonly options: CsvOptions;
      readonly dryRun: boolean;
      readonly skipsErrors: boolean;
      readonly accept: readonly ImportQuestion[];
    },
  ): Promise<Report>;
}

interface Report {
  readonly id: string | null;
  readonly dryRun: boolean;
  readonly rows: number;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly rounded: number;
  readonly facilitiesCreated: number;
  readonly co2eTonnes: Readonly<Record<EmissionScope | "total", string>>;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
  readonly datedAhead: number;
  readonly columns: readonly { readonly name: string; readonly readAs: Field | null }[];
  readonly questions: readonly Question[];
  readonly activities?: z.infer<typeof activitiesShape>;
  readonly refused?: { readonly rows: number; readonly problems: readonly Problem[] };
}

const count = (description: string) => z.int().meta({ description });

const tonnes = (what: string) =>
  z.string().meta({ description: `Emissions of ${what} in the file, in tCO2e.` });

const totals = z
  .object({
    total: tonnes("all scopes"),
    scope_1: tonnes("scope 1"),
    scope_2: tonnes("scope 2"),
    scope_3: tonnes("scope 3"),
  })
  .meta({ id: "ImportTotals" });

const data = z
  .object({
    id: z.guid().nullable().meta({ description: "Id of the import, for undoing it; null for a dry run." }),
    dry_run: z.boolean().meta({ description: "True for a dry run, which stores nothing." }),
    rows: count("Number of rows in the file, without the header and empty lines."),
    inserted: count("Number of new records."),
    updated: count("Number of records whose values differed."),
    already_present: count("Number of records that already existed with the same values."),
    facilities_created: count("Number of new facilities."),
    skipped: count("Number of skipped blank amounts."),
    rounded: count("Number of rows with a rounded amount."),
    co2e_tonnes_exact: totals.meta({ description: "Exact totals of all records in the file." }),
    first_day: z.iso.date().nullable(),
    last_day: z.iso.date().nullable(),
    dated_ahead: count("Number of records dated after today."),
    columns: z.array(columnShape).meta({
      description:
        "Columns of the header with the field each was read as; null for columns that were not read.",
    }),
    questions: z.array(questionShape).meta({
      description:
        "Warnings about likely errors. An import requires that each is accepted; a dry run lists them.",
    }),
    activities: activitiesShape
      .optional()
      .meta({ description: "Activities in the file, if any, each with its emission factor." }),
    refused: z
      .object({
        rows: count("Number of skipped rows."),
        problems: z
          .array(fileProblemShape)
          .meta({ description: "Problems of the skipped rows, in the order of the lines." }),
      })
      .meta({ id: "ImportRefused", description: "Rows that `skip_errors` leaves out." })
      .optional(),
  })
  .meta({ id: "ImportReport" });

/** Creates the endpoint that imports a CSV file of emission records. */
export const createImport = ({ maxBytes, importFile }: Importing): UploadEndpoint => ({
  method: "POST",
  path: "/{module}/import",
  summary:
    "Imports emission records from a CSV file, all or nothing unless `skip_errors` is set; one import at a time",
  scope: "write:emissions",
  fileType: "text/csv",
  isRead: false,
  maxBytes,
  input: { params: moduleParams, query: importQuery },
  failures: [
    "CONFLICT",
    "VALIDATION_FAILED",
    "UNRESOLVED_ACTIVITIES",
    "CONFIRMATION_REQUIRED",
    "NOT_SUPPORTED_FOR_MODULE",
  ],
  data,
  example: {
    id: "6a4d1f8e-5f2b-4c57-8f0e-2a1b3c4d5e6f",
    dry_run: false,
    rows: 2,
    inserted: 1,
    updated: 0,
    already_present: 1,
    facilities_created: 0,
    skipped: 0,
    rounded: 0,
    co2e_tonnes_exact: { total: "14.5", scope_1: "12.5", scope_2: "2", scope_3: "0" },
    first_day: "2026-03-01",
    last_day: "2026-03-31",
    dated_ahead: 0,
    columns: [
      { name: "recorded_on", read_as: "recorded_on" },
      { name: "scope", read_as: "scope" },
      { name: "Total", read_as: "co2e_tonnes" },
      { name: "Meter", read_as: null },
    ],
    questions: [],
  } satisfies z.infer<typeof data>,
  async receive(context, input, { name, ...file }): Promise<z.infer<typeof data>> {
    const { params, query } = input as Input<z.infer<typeof moduleParams>, ImportQuery>;
    requireModule(params.module, "import", ["emissions"]);
    const label = name ?? query.file ?? "upload.csv";
    if (label.includes("\0")) {
      throw new AppError("BAD_REQUEST", "file: expected a name without NUL characters");
    }
    const done = await importFile(context, {
      ...file,
      name: label,
      options: readOptions(givenOptions(query), isoDate(context.request.now)),
      dryRun: query.dry_run ?? false,
      skipsErrors: query.skip_errors ?? false,
      accept: query.accept ?? [],
    });
    return {
      id: done.id,
      dry_run: done.dryRun,
      rows: done.rows,
      inserted: done.added,
      updated: done.updated,
      already_present: done.unchanged,
      facilities_created: done.facilitiesCreated,
      skipped: done.skipped,
      rounded: done.rounded,
      co2e_tonnes_exact: done.co2eTonnes,
      first_day: done.firstDay,
      last_day: done.lastDay,
      dated_ahead: done.datedAhead,
      columns: done.columns.map(describeColumn),
      questions: done.questions.map(describeQuestion),
      ...(done.activities && { activities: done.activities }),
      ...(done.refused && {
        refused: { rows: done.refused.rows, problems: done.refused.problems.map(describeFileProblem) },
      }),
    };
  },
});
