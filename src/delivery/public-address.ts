import ipaddr from "ipaddr.js";

/** Global unicast, of which https://www.iana.org/assignments/iana-ipv6-special-registry takes some away. */
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/**
 * Whether an IP address is on the public internet. Addresses that stand for others are not: IPv4-mapped and NAT64 ones,
 * Teredo and 6to4 could lead inside.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  const isGlobal = address.kind() === "ipv4" || address.match(GLOBAL_IPV6);
  return isGlobal && address.range() === "unicast";
}
