/**
 * Returns true if the value of an If-None-Match header contains an ETag or is `*`. Ignores the difference between weak
 * and strong tags (RFC 9110, section 13.1.2). SCIM, whose tags are all weak, uses it for If-Match as well.
 */
export function matchesEtag(etag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return header.split(",").some((tag) => tag.trim() === "*" || opaque(tag) === opaque(etag));
}
