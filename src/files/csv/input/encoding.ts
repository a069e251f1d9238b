import { isUtf8 } from "node:buffer";
import { UnreadableCsv } from "../problems.js";

export const ENCODINGS = ["utf-8", "utf-16", "windows-1252"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Returns the encoding with this name, in any case; undefined for any other string. */
export const readEncoding = (text: string): Encoding | undefined =>
  ENCODINGS.find((encoding) => encoding === text.toLowerCase());

/** Characters of bytes 80 to 9F in windows-1252. Node.js decodes them as ISO 8859-1. */
const FROM_80 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Converts the chunks of a file to UTF-8. Throws UnreadableCsv for invalid UTF-16. */
export function convertToUtf8(
  chunks: AsyncIterable<Buffer>,
  encoding: Encoding | undefined,
): AsyncIterable<Buffer> {
  if (encoding === "windows-1252") return convert(chunks, () => decodeWindows);
  return encoding === "utf-16" ? convert(chunks, createUtf16Decoder) : chunks;
}

async function* convert(
  chunks: AsyncIterable<Buffer>,
  createDecoder: (first: Buffer) => (chunk?: Buffer) => string,
): AsyncGenerator<Buffer> {
  let decode: ((chunk?: Buffer) => string) | undefined;
  for await (const chunk of chunks) {
    decode ??= createDecoder(chunk);
    yield Buffer.from(decode(chunk));
  }
  if (decode) yield Buffer.from(decode());
}

const decodeWindows = (chunk?: Buffer): string =>
  (chunk?.toString("latin1") ?? "").replace(
    /[\x80-\x9f]/g,
    (character) => FROM_80[character.charCodeAt(0) - 0x80] ?? character,
  );

function createUtf16Decoder(first: Buffer): (chunk?: Buffer) => string {
  const isBigEndian = first[0] === 0xfe || first[0] === 0;
  const decoder = new TextDecoder(isBigEndian ? "utf-16be" : "utf-16le", { fatal: true });
  return (chunk) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw new UnreadableCsv(1, "UTF-16", "other bytes");
    }
  };
}

/**
 * Guesses the encoding of a file from its start, which must end with a whole line. If it is not valid UTF-8, assumes
 * windows-1252, in which spreadsheets in western Europe save files.
 */
export function guessEncoding(head: Buffer): Encoding {
  if (isUtf16(head)) return "utf-16";
  return isUtf8(head) ? "utf-8" : "windows-1252";
}

/** Returns true if a file starts with a UTF-16 byte order mark, or with a Latin letter in UTF-16 (one byte is zero). */
export function isUtf16([first, second]: Buffer): boolean {
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || first === 0 || second === 0;
}
