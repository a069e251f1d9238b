const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_LENGTH = 63;
/** Leaves room for a suffix that makes a slug unique. */
const MAX_DERIVED_LENGTH = 54;

/** Description of a valid slug, for messages. */
export const EXPECTED_SLUG = `1 to ${MAX_LENGTH} lower-case letters and digits, with single hyphens between them`;

/** Returns true if `text` is a valid organization slug. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_LENGTH && SLUG.test(text);
}

/**
 * Derives a slug from a name: `zuerich-steel` from "Zuerich Steel", or `organization` if it has no ASCII letters or
 * digits.
 */
export function makeSlug(name: string): string {
  const letters = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const words = letters.split(/[^a-z0-9]+/).filter((word) => word !== "");
  return words.join("-").slice(0, MAX_DERIVED_LENGTH).replace(/-$/, "") || "organization";
}
