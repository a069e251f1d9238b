/** Crockford's base 32, without the ambiguous letters I, L, O and U. */
export const CERTIFICATE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Number of random characters at the end of a certificate's number: 40 bits. */
export const RANDOM_CHARACTERS = 8;

const NUMBER = new RegExp(`^CGW-\\d{4}-\\d{6,9}(-[${CERTIFICATE_ALPHABET}]{${RANDOM_CHARACTERS}})?$`);

/**
 * Returns true if `text` has the form of a certificate's number, such as `CGW-2026-000001-4F7K2M9Q`. Early numbers have
 * no random characters.
 */
export const isCertificateNumber = (text: string): boolean => NUMBER.test(text);

/** Returns the number of a year's `counter`th certificate. */
export const writeCertificateNumber = (year: number, counter: number, random: string): string =>
  `CGW-${year}-${String(counter).padStart(6, "0")}-${random}`;
