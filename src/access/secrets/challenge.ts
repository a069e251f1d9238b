import { createHmac, timingSafeEqual } from "node:crypto";
import { TOKEN_PREFIXES } from "../../domain/keys/text.js";
import type { Pepper } from "./api-key.js";
import { seal, unseal } from "./sealing.js";

/** Maximum length of a challenge: those with the hash of a new password are the longest. */
export const LONGEST_CHALLENGE = 4_000;

const HEXADECIMAL = /^[0-9a-f]+$/;

/**
 * Writes a challenge: `cgw_chl_` and its content, sealed, in hexadecimal digits. `basis` are secrets of the account that the
 * database holds: a gateway without a pepper seals with a key that everybody knows, so a MAC with them keeps strangers
 * from writing challenges.
 */
export function writeChallenge(content: object, basis: string, pepper: Pepper): string {
  const text = JSON.stringify(content);
  const sealed = seal(JSON.stringify([text, macOf(text, basis, pepper)]), pepper);
  return TOKEN_PREFIXES.challenge + Buffer.from(sealed, "base64url").toString("hex");
}

/** The content of a challenge, which counts once `isAuthentic` has returned true for the secrets of the account. */
export interface ReadChallenge {
  readonly content: unknown;
  isAuthentic(basis: string): boolean;
}

/** Reads a challenge; null for a text of another form, or one that another pepper sealed. */
export function readChallenge(token: string, peppers: readonly Pepper[]): ReadChallenge | null {
  const digits = token.slice(TOKEN_PREFIXES.challenge.length);
  if (!token.startsWith(TOKEN_PREFIXES.challenge) || token.length > LONGEST_CHALLENGE) return null;
  if (!HEXADECIMAL.test(digits)) return null;
  const opened = unseal(Buffer.from(digits, "hex").toString("base64url"), peppers);
  if (opened === null) return null;
  try {
    const [text, mac] = JSON.parse(opened) as [string, string];
    return {
      content: JSON.parse(text),
      isAuthentic: (basis) => peppers.some((pepper) => isSame(mac, macOf(text, basis, pepper))),
    };
  } catch {
    // Another kind of secret, for which the same key is used.
    return null;
  }
}

const macOf = (text: string, basis: string, pepper: Pepper): string =>
  createHmac("sha256", `${pepper ?? ""}\ncarbon-gateway challenge\n${basis}`)
    .update(text)
    .digest("hex");

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
