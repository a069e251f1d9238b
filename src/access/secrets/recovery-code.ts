import { randomInt } from "node:crypto";

/** Number of the recovery codes that a person has. */
const CODES = 10;

/** The characters of a code: Crockford's base32 in lower case, without i, l, o and u. */
const CHARACTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const GROUPS = 4;
const GROUP_LENGTH = 6;

/**
 * Creates recovery codes of 120 random bits, such as `xxxxxx-xxxxxx-xxxxxx-xxxxxx`. A fast hash protects as many bits:
 * ASVS 5.0 asks for a slow one below 112.
 */
export const generateRecoveryCodes = (): string[] =>
  Array.from({ length: CODES }, () =>
    Array.from({ length: GROUPS }, () =>
      Array.from({ length: GROUP_LENGTH }, () => CHARACTERS.charAt(randomInt(CHARACTERS.length))).join(""),
    ).join("-"),
  );

/** Returns the characters of a code, which is what its hash is made of: case, dashes and spaces do not count. */
export const foldRecoveryCode = (code: string): string => code.toLowerCase().replaceAll(/[-\s]/g, "");
