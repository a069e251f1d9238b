const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const LONGEST = 63;

/** What a slug is expected to be. */
export const EXPECTED_SLUG = `1 to ${LONGEST} lower-case letters and digits, with single hyphens between them`;

/** Whether a text can be the slug of an organization. */
export function isSlug(text: string): boolean {
  return text.length <= LONGEST && SLUG.test(text);
}
