import { randomBytes } from "node:crypto";
import { TOKEN_PREFIXES } from "../../domain/keys/secrets.js";
import { BASE62 } from "./api-key.js";

const RANDOM_BYTES = 32;
/** The fewest base62 digits that hold 32 bytes. */
const DIGITS = 43;
const PATTERN = new RegExp(`^[0-9A-Za-z]{${DIGITS}}$`);

export type TokenKind = keyof typeof TOKEN_PREFIXES;

/** Creates a token: the prefix of its kind and 32 random bytes as 43 base62 digits. */
export function generateToken(kind: TokenKind): string {
  let rest = BigInt(`0x${randomBytes(RANDOM_BYTES).toString("hex")}`);
  let digits = "";
  for (let i = 0; i < DIGITS; i += 1) {
    digits = BASE62.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return TOKEN_PREFIXES[kind] + digits;
}

/** Returns true if `text` has the form of a token of this kind. */
export function isToken(kind: TokenKind, text: string): boolean {
  const prefix = TOKEN_PREFIXES[kind];
  return text.startsWith(prefix) && PATTERN.test(text.slice(prefix.length));
}
