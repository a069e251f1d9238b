import type { SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { ExportColumn, ExportRows, ExportType } from "../../domain/emissions/export-columns.js";
import { memoize } from "../csv/rows/memoize.js";
import type { RecordFileOptions } from "./record-file-options.js";

/** Maximum number of rows in a row group. */
const GROUP_ROWS = 16_384;
/** Number of characters at which a row group ends early. */
const GROUP_CHARS = 2_000_000;
/** Bytes of a DECIMAL(24,6), enough for 26 digits. */
const DECIMAL_BYTES = 11;

type Value = string | number | Uint8Array | null;

/** Schema elements by type, without name and repetition. */
const TYPES: Readonly<Record<ExportType, Omit<SchemaElement, "name">>> = {
  day: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
  amount: {
    type: "FIXED_LEN_BYTE_ARRAY",
    type_length: DECIMAL_BYTES,
    converted_type: "DECIMAL",
    precision: 24,
    scale: 6,
  },
  name: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  id: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  count: { type: "INT32" },
  time: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" },
};

/**
 * Yields records as a Parquet file. Only one row group is in memory at a time: up to 16,384 rows, or about 2,000,000
 * characters. Encoding it blocks the thread for some tenths of a second.
 */
export async function* writeParquet(
  batches: AsyncIterable<ExportRows>,
  columns: readonly ExportColumn[],
  { guard, metadata }: RecordFileOptions,
): AsyncGenerator<Buffer> {
  const output = new ByteWriter();
  const take = () => {
    const bytes = Buffer.from(output.getBuffer());
    output.index = 0;
    return bytes;
  };
  const elements = columns.map(
    ({ name, type, required }): SchemaElement => ({
      ...TYPES[type],
      name,
      repetition_type: required ? "REQUIRED" : "OPTIONAL",
    }),
  );
  const root: SchemaElement = { name: "root", num_children: columns.length };
  const file = new ParquetWriter({ writer: output, schema: [root, ...elements] });
  const encoders = columns.map((column, at) =>
    createColumnEncoder(column, elements[at] as SchemaElement, guard),
  );
  let size = 0;
  let chars = 0;

  function* writeGroup() {
    const start = output.offset;
    const chunks = [];
    for (const encoder of encoders) {
      const { row_groups, pendingIndexes } = encoder.finish(output);
      chunks.push(...row_groups.flatMap((group) => group.columns));
      file.pendingIndexes.push(...pendingIndexes);
      yield take();
    }
    const sizes = chunks.map(({ meta_data }) => meta_data?.total_uncompressed_size ?? 0n);
    file.row_groups.push({
      columns: chunks,
      num_rows: BigInt(size),
      total_byte_size: sizes.reduce((sum, bytes) => sum + bytes, 0n),
      total_compressed_size: BigInt(output.offset - start),
    });
    file.num_rows += BigInt(size);
    size = 0;
    chars = 0;
  }

  for await (const rows of batches) {
    for (const row of rows) {
      for (let at = 0; at < row.length; at += 1) {
        encoders[at]?.add(row[at] ?? null);
        chars += row[at]?.length ?? 0;
      }
      size += 1;
      if (size === GROUP_ROWS || chars >= GROUP_CHARS) yield* writeGroup();
    }
  }
  if (size > 0) yield* writeGroup();
  file.kvMetadata = Object.entries(metadata()).map(([key, value]) => ({ key, value }));
  await file.finish();
  yield take();
}

/** Creates the encoder of a column. It collects the values of a row group. */
function createColumnEncoder(column: ExportColumn, element: SchemaElement, guard: (text: string) => string) {
  const { type, required } = column;
  const read = createReader(column, guard);
  // Amounts are bytes that the library writes unchanged: it would take 130 ms to encode the decimals of a row group.
  const { converted_type, ...bytes } = element;
  const schema: SchemaElement[] = [
    { name: "root", num_children: 1 },
    type === "amount" ? bytes : { ...element },
  ];
  const options = {
    // The library compares bytes without a sign, which is wrong for decimals. Bounds of strings are slow and of no use.
    statistics: type === "day" || type === "count" || type === "time",
    // The library would build a dictionary of distinct values slowly, and then drop it.
    ...((type === "amount" || (type === "id" && required)) && {
      encoding: "PLAIN" as const,
    }),
  };
  let values: Value[] = [];
  return {
    add(value: string | null): void {
      values.push(value === null ? null : read(value));
    },
    /** Writes the column of a row group. Returns a file with only this column. */
    finish(output: ByteWriter): ParquetWriter {
      const file = new ParquetWriter({ writer: new ByteWriter(), schema });
      file.writer = output;
      const { name } = element;
      void file.write({ columnData: [{ name, data: values, ...options }], rowGroupSize: GROUP_ROWS });
      values = [];
      return file;
    },
  };
}

const DAY_MS = 86_400_000;

/**
 * Returns a function that converts a column's strings to values for the library. Equal values are shared, which keeps a
 * row group small.
 */
function createReader(
  { type, required }: ExportColumn,
  guard: (text: string) => string,
): (text: string) => Value {
  if (type === "amount") return encodeDecimal;
  if (type === "text") return memoize(guard);
  if (type === "count") return Number;
  if (type === "time") return memoize(Date.parse);
  if (type === "day") return memoize((text) => Date.parse(text) / DAY_MS);
  const same = (text: string) => text;
  return type === "id" && required ? same : memoize(same);
}

/** Encodes a number with six decimals as a big-endian integer in two's complement. */
function encodeDecimal(text: string): Uint8Array {
  const bytes = new Uint8Array(DECIMAL_BYTES);
  const digits = text.replace(".", "");
  // A number of up to 15 digits is exact.
  if (digits.length > 15) {
    let rest = BigInt.asUintN(8 * DECIMAL_BYTES, BigInt(digits));
    for (let at = DECIMAL_BYTES - 1; at >= 0; at -= 1) {
      bytes[at] = Number(rest & 0xffn);
      rest >>= 8n;
    }
    return bytes;
  }
  let rest = Number(digits);
  if (rest < 0) bytes.fill(0xff);
  for (let at = DECIMAL_BYTES - 1; rest !== 0 && rest !== -1; at -= 1) {
    const next = Math.floor(rest / 256);
    bytes[at] = rest - next * 256;
    rest = next;
  }
  return bytes;
}
