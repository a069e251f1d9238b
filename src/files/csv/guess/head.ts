import { guessHeader } from "../../../domain/emissions/header-words.js";
import { readBlocks } from "../input/blocks.js";
import { convertToUtf8, type Encoding, guessEncoding } from "../input/encoding.js";
import { createCsvReader } from "../input/split-records.js";
import { UnreadableCsv } from "../problems.js";
import { isEmptyLine } from "../rows/row-reader.js";

/** Number of bytes at the start of a file from which to guess its format. */
export const HEAD_BYTES = 64 * 1024;

/** A header or row as in the file. */
export interface RawRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

/** The start of a file, split into records. */
export interface Head {
  readonly encoding: Encoding;
  readonly delimiter: string;
  /** Number of lines before the header. */
  readonly skipLines: number;
  readonly header: RawRecord;
  readonly rows: readonly RawRecord[];
}

/** Parts of the format that the caller knows; the others are guessed. */
export interface KnownFormat {
  readonly encoding?: Encoding | undefined;
  readonly delimiter?: string | undefined;
  readonly skipLines?: number | undefined;
}

/** Removes the incomplete last line from the first bytes of a file. */
export function wholeLines(bytes: Buffer): Buffer {
  if (bytes.length < HEAD_BYTES) return bytes;
  const end = bytes.lastIndexOf(0x0a) + 1;
  // In UTF-16, the second byte of the line end may follow.
  const isWide = guessEncoding(bytes.subarray(0, 4)) === "utf-16" && bytes[end] === 0;
  return end === 0 ? bytes : bytes.subarray(0, isWide ? end + 1 : end);
}

/** Splits the start of a file into records. Guesses the encoding, the delimiter and the line of the header. */
export async function readHead(bytes: Buffer, known: KnownFormat): Promise<Head> {
  const encoding = known.encoding ?? guessEncoding(bytes);
  let best: { delimiter: string; records: readonly RawRecord[]; score: number } | undefined;
  for (const delimiter of known.delimiter === undefined ? DELIMITERS : [known.delimiter]) {
    const records = await split(bytes, encoding, delimiter, known.skipLines ?? 0);
    const score = scoreOf(records);
    if (best === undefined || score > best.score) best = { delimiter, records, score };
  }
  const { delimiter = ",", records = [] } = best ?? {};
  const found = records
    .slice(0, MAX_TITLES)
    .findIndex(({ cells }) => guessHeader(cells.slice(0, MAX_NAMES)).size >= MIN_HEADERS);
  const start = known.skipLines === undefined ? Math.max(found, 0) : 0;
  const [header = { cells: [], line: 1 }, ...rows] = records.slice(start);
  return {
    encoding,
    delimiter,
    skipLines: known.skipLines ?? (start === 0 ? 0 : header.line - 1),
    header,
    rows,
  };
}

const DELIMITERS = [",", ";", "\t", "|"];
/** Minimum number of fields that a header names. Title lines above it name fewer. */
const MIN_HEADERS = 2;
const MAX_TITLES = 20;
/** Number of cells to examine to see if a line is the header. */
const MAX_NAMES = 100;

async function split(
  bytes: Buffer,
  encoding: Encoding,
  delimiter: string,
  skipLines: number,
): Promise<readonly RawRecord[]> {
  const records: RawRecord[] = [];
  const reader = createCsvReader(delimiter, (cells, line) => {
    if (!isEmptyLine(cells)) records.push({ cells, line });
  });
  async function* chunks() {
    yield bytes;
  }
  try {
    for await (const block of readBlocks(convertToUtf8(chunks(), encoding), skipLines))
      await reader.read(block);
    await reader.end();
  } catch (error) {
    // Either the delimiter is wrong, or the import will report the fault.
    if (!(error instanceof UnreadableCsv)) throw error;
  }
  return records;
}

/** Returns the maximum of (number of fields − 1) × (share of records with that number). */
function scoreOf(records: readonly RawRecord[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of records) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  return Math.max(0, ...[...counts].map(([fields, count]) => ((fields - 1) * count) / records.length));
}
