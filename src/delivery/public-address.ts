import ipaddr from "ipaddr.js";

/** Global unicast. https://www.iana.org/assignments/iana-ipv6-special-registry lists the exceptions in it. */
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/**
 * Returns true if an IP address is on the public internet. Returns false for IPv4-mapped, NAT64, Teredo and 6to4
 * addresses, because they contain another address, which may be internal.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  const isGlobal = address.kind() === "ipv4" || address.match(GLOBAL_IPV6);
  return isGlobal && address.range() === "unicast";
}

export const isLoopback = (text: string): boolean =>
  ipaddr.isValid(text) && ipaddr.parse(text).range() === "loopback";

/** Creates the check that accepts public addresses and these networks (CIDRs). */
export function createIsAllowed(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.map((network) => ipaddr.parseCIDR(network));
  const isInside = (text: string) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.parse(text);
    return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match([base, bits]));
  };
  return (address) => isPublicAddress(address) || isInside(address);
}

/** Networks of private and loopback addresses (RFC 1918, RFC 4193). */
const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "fc00::/7", "::1/128"].map(
  (network) => ipaddr.parseCIDR(network),
);

/** Returns true for a network (CIDR) of private or loopback addresses alone. */
export function isPrivateNetwork(network: string): boolean {
  const [address, bits] = ipaddr.parseCIDR(network);
  return PRIVATE.some(
    ([base, max]) => base.kind() === address.kind() && bits >= max && address.match([base, max]),
  );
}
