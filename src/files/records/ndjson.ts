import type { ExportColumn, ExportRows } from "../../domain/emissions/export-columns.js";
import type { RecordFileOptions } from "./record-file-options.js";

/** Yields records as one JSON object per line. Amounts are strings with all digits; missing values are null. */
export async function* writeNdjson(
  batches: AsyncIterable<ExportRows>,
  columns: readonly ExportColumn[],
  { guard }: RecordFileOptions,
): AsyncGenerator<Buffer> {
  const starts = columns.map(({ name }, at) => `${at === 0 ? "{" : ","}${JSON.stringify(name)}:`);
  const writers = columns.map(({ type }): ((value: string) => string) => {
    if (type === "text") return (value) => JSON.stringify(guard(value));
    // The other types contain no characters that JSON escapes.
    return type === "count" ? (value) => value : (value) => `"${value}"`;
  });
  for await (const rows of batches) {
    let lines = "";
    for (const row of rows) {
      for (let at = 0; at < row.length; at += 1) {
        const value = row[at];
        lines += starts[at];
        lines += value == null ? "null" : writers[at]?.(value);
      }
      lines += "}\n";
    }
    yield Buffer.from(lines);
  }
}
