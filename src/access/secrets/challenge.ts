import { createHmac, timingSafeEqual } from "node:crypto";
import { TOKEN_PREFIXES } from "../../domain/keys/secrets.js";
import type { Pepper } from "./api-key.js";
import { seal, unseal } from "./sealing.js";

/** Maximum length of a challenge. Challenges with the hash of a new password are the longest. */
export const MAX_CHALLENGE_LENGTH = 4_000;

const HEXADECIMAL = /^[0-9a-f]+$/;

/**
 * Creates a challenge: `cgw_chl_` and the sealed content in hexadecimal digits. `basis` holds the account's secrets
 * from the database. They key a MAC, because a gateway without a pepper seals with a key that everybody knows, and
 * strangers could forge challenges.
 */
export function writeChallenge(content: object, basis: string, pepper: Pepper): string {
  const text = JSON.stringify(content);
  const sealed = seal(JSON.stringify([text, macOf(text, basis, pepper)]), pepper);
  return TOKEN_PREFIXES.challenge + Buffer.from(sealed, "base64url").toString("hex");
}

/** Content of a challenge. Trust it only if `isAuthentic` returns true for the account's secrets. */
export interface ReadChallenge {
  readonly content: unknown;
  isAuthentic(basis: string): boolean;
}

/** Reads a challenge; null if it is malformed or was sealed with a different pepper. */
export function readChallenge(token: string, peppers: readonly Pepper[]): ReadChallenge | null {
  const digits = token.slice(TOKEN_PREFIXES.challenge.length);
  if (!token.startsWith(TOKEN_PREFIXES.challenge) || token.length > MAX_CHALLENGE_LENGTH) return null;
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
    // Another kind of secret sealed with the same key.
    return null;
  }
}

const macOf = (text: string, basis: string, pepper: Pepper): string =>
  createHmac("sha256", `${pepper ?? ""}\ncarbon-gateway challenge\n${basis}`)
    .update(text)
    .digest("hex");

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
