/**
 * Returns true if an If-None-Match header names an ETag, or is `*`: the client has the answer (RFC 9110, section
 * 13.1.2). Weak and strong tags of one name are the same there.
 */
export function isNamed(etag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return header.split(",").some((tag) => tag.trim() === "*" || opaque(tag) === opaque(etag));
}
