import { isUtf8 } from "node:buffer";
import { type FileHandle, open } from "node:fs/promises";
import { OperatorError } from "../../errors.js";
import { UnreadableCsv } from "./problems.js";

const [LF, CR] = [0x0a, 0x0d];
const LONGEST_LINE = 16 * 1024 * 1024;

/** Whole lines of a file, and the number of the first of them. */
export interface Block {
  readonly text: string;
  readonly line: number;
  /** Bytes of the file up to the end of this block. */
  readonly bytesRead: number;
}

export interface CsvFile {
  /** In bytes; 0 where it is not known, as of a pipe. */
  readonly size: number;
  /** The text from after `skipLines` lines on, without a byte order mark. Throws UnreadableCsv for what is no UTF-8. */
  blocks(skipLines: number): AsyncGenerator<Block>;
  close(): Promise<void>;
}

/** Opens a file of any size for reading it once, 64 kB at a time, until `signal` ends it. */
export async function openCsv(path: string, signal: AbortSignal): Promise<CsvFile> {
  let file: FileHandle;
  try {
    file = await open(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  const stat = await file.stat();
  if (stat.isDirectory()) {
    await file.close();
    throw unreadable(path, { code: "EISDIR" });
  }
  return {
    size: stat.size,
    blocks: (skipLines) => readBlocks(readChunks(file, path, signal), skipLines),
    close: () => file.close(),
  };
}

function unreadable(path: string, error: unknown): OperatorError {
  const { code } = error as NodeJS.ErrnoException;
  return new OperatorError(`${path} ${code === "ENOENT" ? "does not exist" : `cannot be read: ${code}`}.`);
}

async function* readChunks(file: FileHandle, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const chunks = file.createReadStream({ highWaterMark: 64 * 1024, autoClose: false, signal });
  // With a signal that was aborted before, it fails once more when what reads it has thrown that already.
  chunks.on("error", () => undefined);
  try {
    yield* chunks;
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(path, error);
  }
}

async function* readBlocks(chunks: AsyncIterable<Buffer>, skipLines: number): AsyncGenerator<Block> {
  let [rest, line, bytesRead, skipped]: [Buffer, number, number, number] = [Buffer.alloc(0), 1, 0, 0];
  for await (const chunk of chunks) {
    const isFirst = bytesRead === 0;
    bytesRead += chunk.length;
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (isFirst) bytes = withoutMark(bytes);
    for (; skipped < skipLines && endOfLine(bytes) > 0; skipped += 1) {
      bytes = bytes.subarray(endOfLine(bytes));
      line += 1;
    }
    const end = skipped < skipLines ? 0 : lastLineEnd(bytes);
    rest = bytes.subarray(end);
    if (rest.length > LONGEST_LINE) {
      throw new UnreadableCsv(line, "a line of at most 16 MB", "a longer one");
    }
    if (end === 0) continue;
    const block = bytes.subarray(0, end);
    yield* decode(block, line, bytesRead);
    line += countLines(block);
  }
  if (rest.length > 0 && skipped === skipLines) yield* decode(rest, line, bytesRead);
}

function withoutMark(bytes: Buffer): Buffer {
  const [first, second, third] = bytes;
  if (first === 0x1f && second === 0x8b) throw new UnreadableCsv(1, "CSV", "gzip: unpack the file");
  if (first === 0x50 && second === 0x4b && third === 0x03) {
    throw new UnreadableCsv(1, "CSV", "a ZIP archive or a spreadsheet: unpack it, or save it as CSV (UTF-8)");
  }
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // Of UTF-16 without a mark, one byte of the first character is 0, as headers are in Latin letters.
  if (isMarked || first === 0 || second === 0) {
    throw new UnreadableCsv(1, "UTF-8", "UTF-16: save the file as UTF-8");
  }
  return first === 0xef && second === 0xbb && third === 0xbf ? bytes.subarray(3) : bytes;
}

/** Where the first line ends, whichever of LF, CR and CRLF ends it; 0 where that is not known yet. */
function endOfLine(bytes: Buffer): number {
  const [lf, cr] = [bytes.indexOf(LF), bytes.indexOf(CR)];
  if (cr < 0 || (lf >= 0 && lf < cr)) return lf + 1;
  if (cr + 1 === bytes.length) return 0;
  return bytes[cr + 1] === LF ? cr + 2 : cr + 1;
}

/** Old files end their lines with CR alone. */
function lastLineEnd(bytes: Buffer): number {
  return bytes.lastIndexOf(LF) + 1 || bytes.subarray(0, -1).lastIndexOf(CR) + 1;
}

function countLines(block: Buffer): number {
  let count = 0;
  for (let at = block.indexOf(LF); at >= 0; at = block.indexOf(LF, at + 1)) count += 1;
  for (let at = block.indexOf(CR); at >= 0; at = block.indexOf(CR, at + 1))
    if (block[at + 1] !== LF) count += 1;
  return count;
}

/** The block's text; where there are bytes that are no UTF-8, that of the lines before, so that these are read. */
function* decode(block: Buffer, line: number, bytesRead: number): Generator<Block> {
  if (isUtf8(block)) {
    yield { text: block.toString("utf8"), line, bytesRead };
    return;
  }
  let [badLine, start, end] = [line, 0, 0];
  for (;;) {
    end = start + endOfLine(block.subarray(start));
    if (end === start || !isUtf8(block.subarray(start, end))) break;
    [badLine, start] = [badLine + 1, end];
  }
  if (start > 0) yield { text: block.toString("utf8", 0, start), line, bytesRead };
  throw new UnreadableCsv(
    badLine,
    "UTF-8",
    "bytes that are not: save the file as UTF-8. Nothing from there on was read",
  );
}
