import { randomInt } from "node:crypto";

/** Number of recovery codes in a user's set. */
const CODES = 10;

/** Crockford's base32 in lower case, without i, l, o and u. */
const CHARACTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const GROUPS = 4;
const GROUP_LENGTH = 6;

/**
 * Creates recovery codes of 120 random bits, such as `xxxxxx-xxxxxx-xxxxxx-xxxxxx`. With that many, a fast hash is
 * enough: ASVS 5.0 asks for a slow one below 112 bits.
 */
export const generateRecoveryCodes = (): string[] =>
  Array.from({ length: CODES }, () =>
    Array.from({ length: GROUPS }, () =>
      Array.from({ length: GROUP_LENGTH }, () => CHARACTERS.charAt(randomInt(CHARACTERS.length))).join(""),
    ).join("-"),
  );

/** Returns a code in the form that is hashed: in lower case, without dashes and spaces. */
export const foldRecoveryCode = (code: string): string => code.toLowerCase().replaceAll(/[-\s]/g, "");
