import { quoteCell } from "../../../parts/csv.js";
import type { FileProblem } from "./preview.js";
import { describe } from "./problems.js";

interface FileFormat {
  readonly encoding: string;
  readonly delimiter: string;
  /** Number of lines before the header. */
  readonly skipLines: number;
}

/** Returns a CSV file with the header and the rows with problems. Adds a last column with the reasons. */
export async function writeRefused(
  file: Blob,
  { encoding, delimiter, skipLines }: FileFormat,
  problems: readonly FileProblem[],
): Promise<string> {
  const reasons = new Map<number, string[]>();
  for (const problem of problems) {
    reasons.set(problem.line, [...(reasons.get(problem.line) ?? []), describe(problem)]);
  }
  const written: string[] = [];
  let width = 0;
  const isWanted = (line: number) => (width === 0 ? line > skipLines : reasons.has(line));
  for await (const { text, line, fields } of readRecords(file, encoding, delimiter, isWanted)) {
    if (text.replaceAll(delimiter, "").trim() === "") continue;
    const reason = width === 0 ? "Reason" : (reasons.get(line) ?? []).join("; ");
    width ||= fields;
    written.push(`${text}${delimiter.repeat(Math.max(width - fields, 0) + 1)}${quoteCell(reason)}\r\n`);
  }
  return written.join("");
}

interface TextRecord {
  /** The record without its line end. */
  readonly text: string;
  /** Number of its first line, from 1. */
  readonly line: number;
  readonly fields: number;
}

/**
 * Reads the wanted records of a CSV file (RFC 4180) verbatim. Lines may end with LF, CR or CRLF, as in the gateway.
 */
async function* readRecords(
  file: Blob,
  encoding: string,
  delimiter: string,
  isWanted: (line: number) => boolean,
): AsyncGenerator<TextRecord> {
  let [text, line, start, fields, isQuoted, last] = ["", 1, 1, 1, false, ""];
  for await (const part of readText(file, encoding)) {
    for (const letter of part) {
      const isEnd = letter === "\r" || (letter === "\n" && last !== "\r");
      const isRest = letter === "\n" && last === "\r";
      last = letter;
      if (letter === '"') isQuoted = !isQuoted;
      if (isEnd) line += 1;
      if ((isEnd || isRest) && !isQuoted) {
        if (isEnd && isWanted(start)) yield { text, line: start, fields };
        [text, start, fields] = ["", line, 1];
      } else {
        if (letter === delimiter && !isQuoted) fields += 1;
        if (isWanted(start)) text += letter;
      }
    }
  }
  if (text !== "") yield { text, line: start, fields };
}

/** Decodes a file chunk by chunk. */
async function* readText(file: Blob, encoding: string): AsyncGenerator<string> {
  const [first] = new Uint8Array(await file.slice(0, 1).arrayBuffer());
  const isBigEndian = encoding === "utf-16" && (first === 0xfe || first === 0);
  const decoder = new TextDecoder(isBigEndian ? "utf-16be" : encoding);
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}
