import { z } from "zod";
import type { AdmittedContext } from "../../../access/context.js";
import { storableText } from "../../../catalogue/input/values.js";
import type { VsmeReport } from "../../../domain/inventory/vsme.js";
import { type ReportingEntity, writeXbrlJson } from "../../../domain/inventory/xbrl-json.js";
import { AppError } from "../../../errors.js";
import type { DownloadEndpoint } from "../../endpoint.js";

/** Reads the VSME report of a year; null if no policy applies to the year. */
export type ReadReport = (
  context: AdmittedContext,
  request: z.output<typeof query> & z.output<typeof params>,
) => Promise<(VsmeReport & { readonly entity: ReportingEntity }) | null>;

const params = z.object({
  year: z
    .string()
    .refine((text) => /^(199\d|20\d\d|2100)$/.test(text), "expected a year from 1990 to 2100")
    .transform(Number),
});

const query = z.strictObject({
  turnover: storableText.optional().meta({
    description:
      "Name of the business metric with the turnover. Its unit must be an ISO 4217 code, such as `EUR`.",
  }),
  lei: storableText.optional().meta({
    description: "Legal Entity Identifier of the organization (ISO 17442), such as `529900T8BM49AURSDO55`.",
  }),
});

const EXAMPLE = {
  documentInfo: { documentType: "https://xbrl.org/2021/xbrl-json" },
  facts: { f1: { value: "350", dimensions: { concept: "vsme:TotalGrossLocationBasedGHGEmissions" } } },
};

/** Creates the endpoint that exports a VSME report. */
export const createVsmeExport = (readReport: ReadReport): DownloadEndpoint => ({
  method: "GET",
  path: "/inventory/{year}/vsme/export",
  summary: "Facts for a VSME report on the year of an inventory as xBRL-JSON, without the envelope",
  scope: "read:emissions",
  input: { params, query },
  files: { "application/json": EXAMPLE },
  data: z.string(),
  example: "",
  failures: ["NOT_FOUND", "VALIDATION_FAILED"],
  async open(context, input) {
    const { year } = input.params as z.output<typeof params>;
    const report = await readReport(context, { year, ...(input.query as z.output<typeof query>) });
    if (report === null) throw new AppError("NOT_FOUND", `No inventory policy applies to ${year}.`);
    const bytes = Buffer.from(`${JSON.stringify(writeXbrlJson(report, report.entity))}\n`);
    return {
      mediaType: "application/json",
      name: `vsme-${year}.json`,
      chunks: (async function* () {
        yield bytes;
      })(),
      close: async () => undefined,
    };
  },
});
