/**
 * Returns true if an If-None-Match header contains an ETag or is `*`: the client already has the response. Weak and strong
 * tags are compared as equal (RFC 9110, section 13.1.2).
 */
export function matchesEtag(etag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return header.split(",").some((tag) => tag.trim() === "*" || opaque(tag) === opaque(etag));
}
