import { z } from "zod";
import type { AdmittedContext } from "../../../access/context.js";
import { flag, listOf, storableText, textsShape } from "../../../catalogue/input/values.js";
import {
  EXPORT_COLUMNS,
  EXPORT_FORMATS,
  type ExportColumns,
  type ExportFile,
  type ExportFilter,
} from "../../../domain/emissions/export-columns.js";
import { EMISSION_SCOPES } from "../../../domain/enums.js";
import { EARLIEST_DAY, isSupportedDate, LATEST_DAY } from "../../../domain/window.js";
import { AppError } from "../../../errors.js";
import type { ComputedEndpoint, Download, DownloadEndpoint } from "../../endpoint.js";

/** Exports the records of the caller's organization, and computes their digest. */
export interface Exporting {
  open(
    context: AdmittedContext,
    filter: ExportFilter,
    file: ExportFile,
    signal: AbortSignal,
  ): Promise<Download>;
  digest(
    context: AdmittedContext,
    filter: ExportFilter,
    signal: AbortSignal,
  ): Promise<{
    readonly rows: number;
    readonly co2eTonnes: string;
    readonly digest: string;
    readonly seq: number;
  }>;
}

const dayShape = (description: string) =>
  z
    .string()
    .refine(isSupportedDate, `expected a date YYYY-MM-DD from ${EARLIEST_DAY} to ${LATEST_DAY}`)
    .optional()
    .meta({ format: "date", description });

/** Filters of the list of records. */
const filterShape = z.strictObject({
  from: dayShape("Only records of this day or later."),
  to: dayShape("Only records of this day or earlier."),
  scope: listOf(EMISSION_SCOPES, "Only records of these scopes"),
  facility: textsShape(storableText, "Only records of the facilities with these codes."),
  category: textsShape(storableText, "Only records with exactly these categories."),
  reference: textsShape(storableText, "Only records with exactly these references."),
  q: storableText.optional().meta({
    description:
      "Only records whose reference, category, source or note contains this text (case-insensitive for A to Z).",
  }),
});

const fileShape = filterShape.extend({
  format: z.enum(EXPORT_FORMATS).default("csv").meta({ description: "Format of the file." }),
  columns: z
    .enum(Object.keys(EXPORT_COLUMNS) as [ExportColumns, ...ExportColumns[]])
    .default("import")
    .meta({
      description:
        "`import` for the seven columns from `recorded_on` to `reference`, `full` for all columns.",
    }),
  bom: flag("True to start a CSV file with a byte order mark, which makes Excel recognize UTF-8."),
  guard: flag(
    "True to put an apostrophe before texts that a spreadsheet would read as formulas; an import removes it. For CSV, the default is true.",
  ),
});

function readFilter(query: unknown): ExportFilter {
  const { scope, facility, category, reference, q, from, to } = query as z.output<typeof filterShape>;
  return {
    from,
    to,
    scopes: scope,
    facilities: facility,
    categories: category,
    references: reference,
    search: q,
  };
}

/** Adds `query.` to refusals of filters, which name the parameter. */
async function withQueryPrefix<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "BAD_REQUEST")) throw error;
    throw new AppError("BAD_REQUEST", `query.${error.message}`, { cause: error });
  }
}

const FILES = {
  "text/csv":
    "recorded_on,scope,co2e_tonnes,facility,category,source,reference\n2026-03-31,scope_1,12.500000,PUNE,Diesel,,INV-7\n",
  "application/x-ndjson":
    '{"recorded_on":"2026-03-31","scope":"scope_1","co2e_tonnes":"12.500000","facility":"PUNE","category":"Diesel","source":null,"reference":"INV-7"}\n',
  "application/vnd.apache.parquet": "PAR1…",
};

/** Creates the endpoint that exports records as a file. */
const createExport = ({ open }: Exporting): DownloadEndpoint => ({
  method: "GET",
  path: "/emissions/records/export",
  summary: "All matching emission records in one file, from a consistent snapshot",
  scope: "read:emissions",
  input: { query: fileShape },
  files: FILES,
  data: z.string(),
  example: "",
  open(context, { query }, signal) {
    const { format, columns, bom = false, guard = format === "csv" } = query as z.output<typeof fileShape>;
    return withQueryPrefix(open(context, readFilter(query), { format, columns, bom, guard }, signal));
  },
});

const digestShape = z
  .object({
    rows: z.int().meta({ description: "Number of records." }),
    co2e_tonnes_exact: z.string().meta({ description: "Exact sum of their amounts in tCO2e." }),
    digest: z.string().meta({
      description:
        "Sum modulo 2^256 of the SHA-256 of each record's line, in hexadecimal. A line consists of `recorded_on`, `scope`, `co2e_tonnes`, `facility`, `category`, `source` and `reference`, joined by U+001F. Absent values are empty, and amounts have six decimals.",
    }),
    seq: z.int().meta({ description: "Number of the last audit trail entry included; 0 for none." }),
  })
  .meta({ id: "RecordsDigest" });

/** Creates the endpoint that computes a digest of records. */
const createDigest = ({ digest }: Exporting): ComputedEndpoint => ({
  method: "GET",
  path: "/emissions/records/digest",
  summary: "Number, sum and digest of all matching emission records, for comparing two copies",
  scope: "read:emissions",
  input: { query: filterShape },
  data: digestShape,
  example: {
    rows: 292,
    co2e_tonnes_exact: "27702.957005",
    digest: "0f3a5c1e9b7d2468ace013579bdf02468ace13579bdf02468ace13579bdf0246",
    seq: 4711,
  } satisfies z.infer<typeof digestShape>,
  async compute(context, { query }, signal): Promise<z.infer<typeof digestShape>> {
    const {
      rows,
      co2eTonnes,
      digest: sum,
      seq,
    } = await withQueryPrefix(digest(context, readFilter(query), signal));
    return { rows, co2e_tonnes_exact: co2eTonnes, digest: sum, seq };
  },
});

/** Creates the endpoints that read all records matching a filter. */
export const createExports = (exporting: Exporting) => [createExport(exporting), createDigest(exporting)];
