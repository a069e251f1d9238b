import type { ExportColumn, ExportFormat, ExportRows } from "../../domain/emissions/export-columns.js";
import { writeCsv } from "./csv.js";
import { writeNdjson } from "./ndjson.js";
import { writeParquet } from "./parquet.js";
import type { RecordFileOptions } from "./record-file-options.js";

type WriteRecords = (
  batches: AsyncIterable<ExportRows>,
  columns: readonly ExportColumn[],
  options: RecordFileOptions,
) => AsyncGenerator<Buffer>;

/** Formats of record files. */
export const RECORD_FILES: Readonly<
  Record<ExportFormat, { readonly mediaType: string; readonly write: WriteRecords }>
> = {
  csv: { mediaType: "text/csv; charset=utf-8; header=present", write: writeCsv },
  ndjson: { mediaType: "application/x-ndjson", write: writeNdjson },
  parquet: { mediaType: "application/vnd.apache.parquet", write: writeParquet },
};
