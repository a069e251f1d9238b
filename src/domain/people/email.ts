import { isWithinLimit, TEXT_LIMITS } from "../texts/text-limits.js";

/** One @ with at least one character on each side, no spaces or control characters. The database has the same rule. */
const FORM = /^[^\s\p{Cc}\p{Cs}@]+@([^\s\p{Cc}\p{Cs}@]+)$/u;

/** Characters with a meaning in the headers of e-mails (RFC 5322, specials), which mailers remove or interpret. */
const SPECIALS = /[<>()[\],;:"\\]/;

/** Characters that mailers remove from a host or read as a dot, and a final dot (UTS #46). */
const IGNORED_IN_HOSTS = /[\p{Default_Ignorable_Code_Point}\u3002]|\.$/u;

/** Returns true unless mailers map the host to a different spelling. One mailbox could then have two accounts. */
const isPlainHost = (host: string): boolean =>
  host.normalize("NFKC").toLowerCase() === foldEmail(host) && !IGNORED_IN_HOSTS.test(host);

const describeFault = (email: string) =>
  `expected an e-mail address such as ada@example.org, got ${JSON.stringify(email)}`;

/** Returns the fault of a stored address; undefined if it is valid. The rules for new addresses are stricter. */
export function findStoredEmailFault(email: string): string | undefined {
  if (!isWithinLimit(email, TEXT_LIMITS.email)) {
    return `expected an e-mail address of at most ${TEXT_LIMITS.email} characters, got ${[...email].length}`;
  }
  return FORM.test(email) ? undefined : describeFault(email);
}

/**
 * Returns the fault of a new address as `expected …, got …`; undefined if it is valid. Mailers treat two different
 * valid addresses as different mailboxes. Does not trim.
 */
export function findEmailFault(email: string): string | undefined {
  const fault = findStoredEmailFault(email);
  if (fault !== undefined) return fault;
  const host = FORM.exec(email)?.[1] ?? "";
  return SPECIALS.test(email) || !isPlainHost(host) ? describeFault(email) : undefined;
}

/** Lowercases the ASCII letters of an e-mail address. The database compares addresses in the same way. */
export const foldEmail = (email: string): string =>
  email.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
