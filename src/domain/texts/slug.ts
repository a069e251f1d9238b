const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const LONGEST = 63;
/** Leaves room for what tells it from a slug that is taken. */
const LONGEST_MADE = 54;

/** What a slug is expected to be. */
export const EXPECTED_SLUG = `1 to ${LONGEST} lower-case letters and digits, with single hyphens between them`;

/** Whether a text can be the slug of an organization. */
export function isSlug(text: string): boolean {
  return text.length <= LONGEST && SLUG.test(text);
}

/** Makes a slug of a name: `zuerich-steel` of "Zuerich Steel", and `organization` if it has neither letters nor digits of ASCII. */
export function makeSlug(name: string): string {
  const letters = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const words = letters.split(/[^a-z0-9]+/).filter((word) => word !== "");
  return words.join("-").slice(0, LONGEST_MADE).replace(/-$/, "") || "organization";
}
