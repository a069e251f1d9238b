import { UnreadableCsv } from "../problems.js";

/** Maximum number of columns in a header, and of fields in a row. */
const MAX_COLUMNS = 1_000;
/** Maximum length of a line in bytes, and of a header or row in characters. */
export const MAX_RECORD_LENGTH = 256 * 1024;

const [LF, CR, QUOTE] = [0x0a, 0x0d, 0x22];
const format = new Intl.NumberFormat("en-US").format;

/** The first oversized record of a block. */
export interface Oversized {
  /** Offset in the block. */
  readonly start: number;
  readonly error: UnreadableCsv;
}

/** Creates the error for a record of more than 256 kB. */
export function tooLong(line: number): UnreadableCsv {
  const got = "a longer one. Check for an unclosed quote or a wrong delimiter";
  return new UnreadableCsv(line, "a header or row of at most 256 kB", got);
}

/**
 * Creates a function that finds a file's first record with too many fields or characters, block by block. Call it
 * before splitting a block, because splitting millions of fields would block other requests for seconds.
 */
export function createSizeCheck(
  delimiter: string,
): (text: string, firstLine: number) => Oversized | undefined {
  const separator = delimiter.charCodeAt(0);
  // A quoted line break continues a record, possibly in the next block.
  let [isQuoted, fields, length, begins] = [false, 1, 0, 0];
  const findFault = () => {
    if (length > MAX_RECORD_LENGTH) return tooLong(begins);
    if (fields <= MAX_COLUMNS) return undefined;
    return new UnreadableCsv(begins, `at most ${format(MAX_COLUMNS)} columns`, format(fields));
  };
  return (text, firstLine) => {
    let [line, start] = [firstLine, 0];
    for (let at = 0; at < text.length; at += 1) {
      if (length === 0) [begins, start] = [line, at];
      length += 1;
      const code = text.charCodeAt(at);
      if (code === QUOTE) isQuoted = !isQuoted;
      else if (code === separator && !isQuoted) fields += 1;
      else if (code === LF || code === CR) {
        if (code === LF || text.charCodeAt(at + 1) !== LF) line += 1;
        if (isQuoted) continue;
        const error = findFault();
        if (error) return { start, error };
        [fields, length] = [1, 0];
      }
    }
    const error = findFault();
    return error && { start, error };
  };
}
