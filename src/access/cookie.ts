/** Returns the value of a cookie from a Cookie header (RFC 6265, section 4.2.1); undefined if it is missing. */
export function readCookie(header: string, name: string): string | undefined {
  const pairs = header.split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
