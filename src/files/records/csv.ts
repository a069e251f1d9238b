import type { ExportColumn, ExportRows } from "../../domain/emissions/export-columns.js";
import type { RecordFileOptions } from "./record-file-options.js";

/** Yields records as CSV: RFC 4180 with LF, and a header even without records. */
export async function* writeCsv(
  batches: AsyncIterable<ExportRows>,
  columns: readonly ExportColumn[],
  { bom, guard }: RecordFileOptions,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${bom ? "\uFEFF" : ""}${columns.map(({ name }) => name).join()}\n`);
  const isText = columns.map(({ type }) => type === "text");
  for await (const rows of batches) {
    let lines = "";
    for (const row of rows) {
      for (let at = 0; at < row.length; at += 1) {
        const value = row[at];
        if (at > 0) lines += ",";
        if (value) lines += isText[at] ? cellOf(value, guard) : value;
      }
      lines += "\n";
    }
    yield Buffer.from(lines);
  }
}

/** Matches text that `guard` may change, or that has a space at either end or a character that needs quotes. */
const SPECIAL = /^['=+\-@＝＋－＠\s]|[",;\t\r\n]|\s$/;

function cellOf(text: string, guard: RecordFileOptions["guard"]): string {
  if (!SPECIAL.test(text)) return text;
  const guarded = guard(text);
  return `"${guarded.includes('"') ? guarded.replaceAll('"', '""') : guarded}"`;
}
