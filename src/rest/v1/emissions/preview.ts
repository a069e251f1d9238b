import { z } from "zod";
import type { AdmittedContext } from "../../../access/context.js";
import { snakeKeys } from "../../../domain/texts/snake-case.js";
import { isoDate } from "../../../domain/window.js";
import type { GivenOptions } from "../../../files/csv/given-options.js";
import { HEAD_BYTES } from "../../../files/csv/guess/head.js";
import type { Preview } from "../../../files/csv/guess/preview.js";
import {
  columnShape,
  describeColumn,
  describeFileProblem,
  fileProblemShape,
} from "../../../http/answer/import-shapes.js";
import type { Input, UploadEndpoint } from "../../endpoint.js";
import { moduleParams, requireModule } from "../modules.js";
import { type FileQuery, fileQuery, givenOptions, readOptions, writeOptions } from "./import-query.js";

/** Previews a file for the caller's organization. */
export interface Previewing {
  previewFile(context: AdmittedContext, chunks: AsyncIterable<Buffer>, given: GivenOptions): Promise<Preview>;
}

const FORMAT_QUESTIONS = ["DATE_ORDER", "DECIMAL_MARK"] as const;

const optionsShape = z
  .record(z.string(), z.union([z.string(), z.array(z.string())]))
  .meta({ description: "Parameters of the import by name; a list for a repeated one." });

const optional = (description: string) => z.string().nullable().meta({ description });

const recordShape = z
  .object({
    recorded_on: z.iso.date(),
    facility: optional("The facility's code."),
    scope: optional("Scope; null to use that of the emission factor."),
    co2e_tonnes: optional("Tonnes of CO2e; null for an activity."),
    amount: optional("Amount of the activity; null for a record in tonnes."),
    unit: optional("Unit of the amount."),
    activity: optional("Activity as a text, a gas or the id of an emission factor."),
  })
  .meta({ id: "PreviewedRecord" });

const data = z
  .object({
    options: optionsShape.meta({
      description: "Parameters for the import: those given, and guesses for the others.",
    }),
    questions: z
      .array(
        z
          .object({
            code: z.enum(FORMAT_QUESTIONS),
            line: z.int().meta({ description: "Number of the line with the value." }),
            text: z.string().meta({ description: "The value as written." }),
            readings: z.array(
              z
                .object({
                  value: z.string().meta({ description: "Value in this reading." }),
                  options: optionsShape.meta({ description: "Parameters that select this reading." }),
                })
                .meta({ id: "FormatReading" }),
            ),
          })
          .meta({ id: "FormatQuestion" }),
      )
      .meta({
        description:
          "Values with two possible readings that no other value settles. `options` does not decide between them.",
      }),
    columns: z.array(columnShape).meta({ description: "Columns of the header." }),
    rows: z
      .array(
        z
          .object({
            line: z.int().meta({ description: "Line number, starting at 1." }),
            cells: z.array(z.string()).meta({ description: "Fields as written." }),
            records: z
              .array(recordShape)
              .meta({ description: "Records in the row; empty if it has a problem." }),
          })
          .meta({ id: "PreviewedRow" }),
      )
      .meta({ description: "The first ten rows." }),
    problems: z
      .array(fileProblemShape)
      .meta({ description: "First 100 problems at the beginning of the file." }),
    new_facilities: z
      .array(z.string())
      .meta({ description: "Codes of facilities that do not exist yet, at most 100." }),
    needs_country: z.boolean().meta({
      description: "True if rows have an activity, but neither a region nor a facility with a country.",
    }),
  })
  .meta({ id: "ImportPreview" });

/** Creates the endpoint that guesses the format of a file and shows its first rows. */
export const createPreview = ({ previewFile }: Previewing): UploadEndpoint => ({
  method: "POST",
  path: "/{module}/import/preview",
  summary:
    "Guesses the format of a CSV file from its first 64 kB, and shows how its first rows would be read",
  scope: "write:emissions",
  fileType: "text/csv",
  isRead: true,
  // Leaves room for the parts around the file in a form. Clients send only the beginning of a larger file.
  maxBytes: HEAD_BYTES + 4_096,
  input: { params: moduleParams, query: fileQuery },
  failures: ["NOT_SUPPORTED_FOR_MODULE"],
  data,
  example: {
    options: {
      encoding: "utf-8",
      delimiter: ";",
      date_format: "D.M.YYYY",
      "map.recorded_on": "#1",
      "map.amount": "#2",
      "set.unit": "kWh",
      "set.activity": "electricity",
    },
    questions: [
      {
        code: "DECIMAL_MARK",
        line: 2,
        text: "1.250",
        readings: [
          { value: "1.25", options: { thousands: "true" } },
          { value: "1250", options: { decimal_comma: "true", thousands: "true" } },
        ],
      },
    ],
    columns: [
      { name: "Datum", read_as: "recorded_on" },
      { name: "Verbrauch (kWh)", read_as: "amount" },
    ],
    rows: [
      {
        line: 2,
        cells: ["31.01.2026", "1.250"],
        records: [
          {
            recorded_on: "2026-01-31",
            facility: null,
            scope: null,
            co2e_tonnes: null,
            amount: "1.25",
            unit: "kWh",
            activity: "electricity",
          },
        ],
      },
    ],
    problems: [],
    new_facilities: [],
    needs_country: true,
  } satisfies z.infer<typeof data>,
  async receive(context, input, { chunks }): Promise<z.infer<typeof data>> {
    const { params, query } = input as Input<z.infer<typeof moduleParams>, FileQuery>;
    requireModule(params.module, "import", ["emissions"]);
    const options = givenOptions(query);
    readOptions(options, isoDate(context.request.now));
    const found = await previewFile(context, chunks, options);
    return {
      options: writeOptions(found.options),
      questions: found.questions.map(({ readings, ...question }) => ({
        ...question,
        readings: readings.map((reading) => ({ ...reading, options: writeOptions(reading.options) })),
      })),
      columns: found.columns.map(describeColumn),
      rows: found.rows.map(({ line, cells, records }) => ({
        line,
        cells: [...cells],
        records: records.map((record) => snakeKeys(record) as z.infer<typeof recordShape>),
      })),
      problems: found.problems.map(describeFileProblem),
      new_facilities: [...found.newFacilities],
      needs_country: found.needsCountry,
    };
  },
});
