import { setImmediate } from "node:timers/promises";
import { CsvError, type Parser, parse } from "csv-parse";
import { UnreadableCsv } from "../problems.js";
import type { Block } from "./blocks.js";
import { createSizeCheck } from "./record-limits.js";

/** Number of records between two checks of the clock. */
const RECORDS_PER_CHECK = 50;
/** Number of bytes between two checks in a file with quotes: at most as many records, which take about 4 µs each. */
const BYTES_PER_CHECK = 256;
/** Maximum time to block the event loop. Another request needs the loop about six times, and waits each time. */
const SLICE_MS = 2;

/** Receives a record's raw fields and the number of its first line. */
export type OnRecord = (fields: readonly string[], line: number) => void;

/** Splits blocks into records. */
export interface CsvReader {
  /** Reads a block. Resolves once `onRecord` has received all of its records. Throws UnreadableCsv. */
  read(block: Block): Promise<void>;
  end(): Promise<void>;
}

/**
 * Reads CSV (RFC 4180, with any line ends and any one-character delimiter). Splits lines at delimiters until the first
 * quote, which is several times faster than the parser for the rest.
 */
export function createCsvReader(delimiter: string, onRecord: OnRecord): CsvReader {
  let parser: ReturnType<typeof createQuoteReader> | undefined;
  const findOversized = createSizeCheck(delimiter);
  const pause = createPause();
  const split = async (text: string, line: number) => {
    if (parser === undefined && text.includes('"')) {
      parser = createQuoteReader(delimiter, line, onRecord, pause);
    }
    if (parser !== undefined) return parser.read(text);
    const lines = text.includes("\r") ? text.split(/\r\n|\n|\r/) : text.split("\n");
    // Drops the empty string after the last line end.
    if (lines.at(-1) === "") lines.pop();
    for (const [index, record] of lines.entries()) {
      if (index % RECORDS_PER_CHECK === 0) await pause();
      onRecord(record.split(delimiter), line + index);
    }
  };
  return {
    async read({ text, line }) {
      const oversized = findOversized(text, line);
      await split(text.slice(0, oversized?.start), line);
      if (oversized) throw oversized.error;
    },
    async end() {
      await parser?.end();
    },
  };
}

/** Creates a function that lets other requests run if records have blocked the event loop for too long. */
function createPause(): () => Promise<void> {
  let end = 0;
  return async () => {
    if (performance.now() < end) return;
    // Does not use `takeTurn`: its pauses would double the time of an import.
    await setImmediate();
    end = performance.now() + SLICE_MS;
  };
}

function createQuoteReader(
  delimiter: string,
  firstLine: number,
  onRecord: OnRecord,
  pause: () => Promise<void>,
) {
  let begins = firstLine;
  const parser: Parser = parse({
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    // Allows spaces around a quoted field.
    trim: true,
    on_record(fields: string[]) {
      const line = begins;
      begins += 1 + countLineBreaks(fields);
      // Every record looks like the first to the parser, so it creates no error (25 µs) if the lengths differ.
      (parser.info as { records: number }).records = 0;
      onRecord(fields, line);
      return null;
    },
  });
  let failure: Error | null = null;
  parser.on("error", (error) => {
    failure = error;
  });
  parser.resume();
  const settle = (work: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => {
      work((error) => {
        const found = error ?? failure;
        if (found) reject(describe(found, begins));
        else resolve();
      });
    });
  return {
    async read(text: string) {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += BYTES_PER_CHECK) {
        await pause();
        await settle((done) => parser.write(bytes.subarray(at, at + BYTES_PER_CHECK), done));
      }
    },
    end: () =>
      settle((done) => {
        parser.once("error", done).once("end", done);
        parser.end();
      }),
  };
}

/** Counts line breaks inside quotes. The parser itself counts CRLF as two. */
function countLineBreaks(fields: readonly string[]): number {
  let count = 0;
  for (const field of fields) {
    if (/[\r\n]/.test(field)) count += field.match(/\r\n|\n|\r/g)?.length ?? 0;
  }
  return count;
}

const MISPLACED_QUOTE: ReadonlySet<string> = new Set([
  "INVALID_OPENING_QUOTE",
  "CSV_INVALID_CLOSING_QUOTE",
  "CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE",
]);

function describe(error: Error, line: number): Error {
  if (!(error instanceof CsvError)) return error;
  if (error.code === "CSV_QUOTE_NOT_CLOSED")
    return new UnreadableCsv(line, "a closing quote", "the end of the file");
  if (MISPLACED_QUOTE.has(error.code)) {
    return new UnreadableCsv(
      line,
      'quotes only around a whole field, and "" for a quote inside one',
      "a quote elsewhere. The rest of the file was not read",
    );
  }
  return new UnreadableCsv(line, "CSV", error.message);
}
