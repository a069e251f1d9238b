import { isUtf8 } from "node:buffer";
import { UnreadableCsv } from "../problems.js";
import { isUtf16 } from "./encoding.js";
import { MAX_RECORD_LENGTH, tooLong } from "./record-limits.js";

const [LF, CR] = [0x0a, 0x0d];

/** Whole lines of a file. */
export interface Block {
  readonly text: string;
  /** Number of the first line, from 1. */
  readonly line: number;
  /** Number of bytes read so far, in UTF-8, at least up to the end of this block. */
  readonly bytesRead: number;
}

/**
 * Reads text after the first `skipLines` lines, in blocks of whole lines and without a byte order mark. Throws
 * UnreadableCsv if it is an archive, is not UTF-8, or has a line of more than 256 kB.
 */
export async function* readBlocks(chunks: AsyncIterable<Buffer>, skipLines: number): AsyncGenerator<Block> {
  let [rest, line, bytesRead, skipped]: [Buffer, number, number, number] = [Buffer.alloc(0), 1, 0, 0];
  for await (const chunk of chunks) {
    const isFirst = bytesRead === 0;
    bytesRead += chunk.length;
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (isFirst) bytes = withoutMark(bytes);
    let start = 0;
    for (let end = 0; skipped < skipLines; [start, skipped, line] = [end, skipped + 1, line + 1]) {
      end = endOfLine(bytes, start);
      if (end === start) break;
    }
    bytes = bytes.subarray(start);
    const end = skipped < skipLines ? 0 : lastLineEnd(bytes);
    rest = bytes.subarray(end);
    if (rest.length > MAX_RECORD_LENGTH) throw tooLong(line);
    if (end === 0) continue;
    const block = bytes.subarray(0, end);
    yield* decode(block, line, bytesRead);
    line += countLines(block);
  }
  if (rest.length > 0 && skipped === skipLines) yield* decode(rest, line, bytesRead);
}

/** Removes a byte order mark. Throws for archives, spreadsheets and UTF-16. */
function withoutMark(bytes: Buffer): Buffer {
  const [first, second, third] = bytes;
  if (first === 0x1f && second === 0x8b) throw new UnreadableCsv(1, "CSV", "gzip: unpack the file");
  if (first === 0x50 && second === 0x4b && third === 0x03) {
    throw new UnreadableCsv(1, "CSV", "a ZIP archive or a spreadsheet: unpack it, or save it as CSV (UTF-8)");
  }
  if (isUtf16(bytes)) throw new UnreadableCsv(1, "UTF-8", "UTF-16: save the file as UTF-8");
  return first === 0xef && second === 0xbb && third === 0xbf ? bytes.subarray(3) : bytes;
}

/** Returns the end of the line (LF, CR or CRLF) that starts at `start`, or `start` if the line is incomplete. */
function endOfLine(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at += 1) {
    if (bytes[at] === LF) return at + 1;
    if (bytes[at] !== CR) continue;
    if (at + 1 === bytes.length) return start;
    return bytes[at + 1] === LF ? at + 2 : at + 1;
  }
  return start;
}

/** Returns the end of the last whole line. Lines of old files end with only CR. */
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

/** Yields the text of a block. At bytes that are not UTF-8, yields the lines before them, then throws UnreadableCsv. */
function* decode(block: Buffer, line: number, bytesRead: number): Generator<Block> {
  if (isUtf8(block)) {
    yield { text: block.toString("utf8"), line, bytesRead };
    return;
  }
  let [badLine, start, end] = [line, 0, 0];
  for (;;) {
    end = endOfLine(block, start);
    if (end === start || !isUtf8(block.subarray(start, end))) break;
    [badLine, start] = [badLine + 1, end];
  }
  if (start > 0) yield { text: block.toString("utf8", 0, start), line, bytesRead };
  throw new UnreadableCsv(
    badLine,
    "UTF-8",
    "other bytes: save the file as UTF-8. The rest of the file was not read",
  );
}
