import type { CsvOptions } from "./csv-options.js";
import type { Columns } from "./fields.js";
import { readHeader } from "./header/header.js";
import { readBlocks } from "./input/blocks.js";
import { findOtherDelimiter, firstLine, type OtherDelimiter } from "./input/delimiter.js";
import { convertToUtf8 } from "./input/encoding.js";
import { createCsvReader } from "./input/split-records.js";
import { collectProblems, type Problems, UnreadableCsv } from "./problems.js";
import {
  createRowReader,
  isEmptyLine,
  type KnownFacility,
  type OnActivity,
  type OnRecord,
  type RowReader,
} from "./rows/row-reader.js";

interface FileReaderOptions {
  readonly options: CsvOptions;
  /** The organization's facilities by code. */
  readonly facilities: ReadonlyMap<string, KnownFacility>;
  readonly problems: Problems;
  readonly onRecord: OnRecord;
  readonly onActivity: OnActivity;
}

/** Reads the emission records of one CSV file. */
export interface FileReader {
  /**
   * Reads a file. Yields the number of bytes read so far after each block. `onRecord` and `onActivity` have then
   * received the records up to there, except those that wait for an unambiguous number.
   */
  read(chunks: AsyncIterable<Buffer>): AsyncGenerator<number>;
  /** Undefined until the header has been read. */
  readonly columns: Columns | undefined;
  /** Undefined until the header has been read. */
  readonly rows: RowReader | undefined;
  /** True if all rows have been read, and neither the header nor the format ended the reading early. */
  readonly isComplete: boolean;
}

/** Creates a reader for one file. It stops at a bad header. */
export function createFileReader(given: FileReaderOptions): FileReader {
  const { options, problems } = given;
  let columns: Columns | undefined;
  let rows: RowReader | undefined;
  let otherDelimiter: OtherDelimiter | undefined;
  let [isHeaderBad, isComplete] = [false, false];

  const suggestDelimiter = (line: number, { looks, delimiter }: OtherDelimiter) =>
    problems.add(line, null, `columns separated by ${JSON.stringify(options.delimiter)}`, looks, [
      { delimiter },
    ]);

  const readHeaderOf = (cells: readonly string[], line: number) => {
    const found = collectProblems();
    columns = readHeader(cells, line, options, found);
    if (found.count > 0 && otherDelimiter !== undefined) suggestDelimiter(line, otherDelimiter);
    else problems.addAll(found.first, found.count);
    isHeaderBad = problems.count > 0;
    rows = createRowReader({ ...given, columns, rules: options });
  };

  const csv = createCsvReader(options.delimiter, (cells, line) => {
    if (rows !== undefined) {
      if (!isHeaderBad) rows.read(cells, line);
    } else if (!isEmptyLine(cells)) readHeaderOf(cells, line);
  });

  async function* read(chunks: AsyncIterable<Buffer>): AsyncGenerator<number> {
    let bytesRead = 0;
    try {
      for await (const block of readBlocks(convertToUtf8(chunks, options.encoding), options.skipLines)) {
        if (rows === undefined)
          otherDelimiter ??= findOtherDelimiter(firstLine(block.text), options.delimiter);
        await csv.read(block);
        bytesRead = block.bytesRead;
        yield bytesRead;
        if (isHeaderBad) return;
      }
      await csv.end();
      // The end of the file may complete one more record.
      yield bytesRead;
      if (rows === undefined) problems.add(1, null, "a header", "a file without one");
      rows?.end();
      isComplete = rows !== undefined;
    } catch (error) {
      if (!(error instanceof UnreadableCsv)) throw error;
      // With the wrong delimiter, quotes around names are inside fields, which is invalid.
      if (rows === undefined && otherDelimiter !== undefined) suggestDelimiter(error.line, otherDelimiter);
      else problems.add(error.line, null, error.expected, error.got);
    }
  }

  return {
    read,
    get columns() {
      return columns;
    },
    get rows() {
      return rows;
    },
    get isComplete() {
      return isComplete;
    },
  };
}
