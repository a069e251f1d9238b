import ipaddr from "ipaddr.js";

/** Global unicast. https://www.iana.org/assignments/iana-ipv6-special-registry exempts some of its ranges. */
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/**
 * Returns true if an IP address is on the public internet. False for addresses that stand for others, because they
 * could lead to the internal network: IPv4-mapped, NAT64, Teredo and 6to4.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  const isGlobal = address.kind() === "ipv4" || address.match(GLOBAL_IPV6);
  return isGlobal && address.range() === "unicast";
}
