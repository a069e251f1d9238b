import { CsvError, type Parser, parse } from "csv-parse";
import { UnreadableCsv } from "../problems.js";
import type { Block } from "./blocks.js";

/** Takes a record's fields as the file has them, and the number of the line where it begins. */
export type OnRecord = (fields: readonly string[], line: number) => void;

/** Splits blocks into records. */
export interface CsvReader {
  /** Reads a block, and resolves after `onRecord` has had all of its records. Throws UnreadableCsv. */
  read(block: Block): Promise<void>;
  end(): Promise<void>;
}

const LONGEST_RECORD = 4 * 1024 * 1024;

/**
 * Reads CSV (RFC 4180, with any line ends and any delimiter of one character). Until the first quote, every line is cut at
 * its delimiters, which is several times as fast as the parser that reads the rest.
 */
export function createCsvReader(delimiter: string, onRecord: OnRecord): CsvReader {
  let parser: ReturnType<typeof createQuoteReader> | undefined;
  return {
    async read({ text, line }) {
      if (parser === undefined && text.includes('"')) parser = createQuoteReader(delimiter, line, onRecord);
      if (parser !== undefined) return parser.read(text);
      const lines = text.includes("\r") ? text.split(/\r\n|\n|\r/) : text.split("\n");
      // The text after the last line end.
      if (lines.at(-1) === "") lines.pop();
      for (const [index, record] of lines.entries()) onRecord(record.split(delimiter), line + index);
    },
    async end() {
      await parser?.end();
    },
  };
}

function createQuoteReader(delimiter: string, firstLine: number, onRecord: OnRecord) {
  let begins = firstLine;
  const parser: Parser = parse({
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    // Spaces around a quoted field.
    trim: true,
    max_record_size: LONGEST_RECORD,
    on_record(fields: string[]) {
      const line = begins;
      begins += 1 + countLineBreaks(fields);
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
    read: (text: string) => settle((done) => parser.write(text, done)),
    end: () =>
      settle((done) => {
        parser.once("error", done).once("end", done);
        parser.end();
      }),
  };
}

/** Counts line breaks inside quotes; the parser itself counts CRLF as two. */
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
    return new UnreadableCsv(line, "a quote that is closed", "the end of the file");
  if (error.code === "CSV_MAX_RECORD_SIZE") {
    return new UnreadableCsv(
      line,
      "a record of at most 4 MB",
      "a longer one: is a quote not closed, or the delimiter wrong?",
    );
  }
  if (MISPLACED_QUOTE.has(error.code)) {
    return new UnreadableCsv(
      line,
      'quotes only around a whole field, and "" for a quote inside one',
      "a quote elsewhere. The rest of the file was not read",
    );
  }
  return new UnreadableCsv(line, "CSV", error.message);
}
