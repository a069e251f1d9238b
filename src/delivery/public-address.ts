import { BlockList, isIPv4 } from "node:net";

/** What is not on the public internet: https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast. */
const SPECIAL_IPV4 = new BlockList();
for (const [network, prefix] of [
  ...([
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
  ] as const),
  ...([
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.0.2.0", 24],
    ["192.88.99.0", 24],
  ] as const),
  ...([
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
    ["198.51.100.0", 24],
    ["203.0.113.0", 24],
  ] as const),
  ...([
    ["224.0.0.0", 4],
    ["240.0.0.0", 4],
  ] as const),
]) {
  SPECIAL_IPV4.addSubnet(network, prefix);
}

/** Global unicast, of which https://www.iana.org/assignments/iana-ipv6-special-registry takes some away. */
const GLOBAL_IPV6 = new BlockList();
GLOBAL_IPV6.addSubnet("2000::", 3, "ipv6");
const SPECIAL_IPV6 = new BlockList();
for (const [network, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  SPECIAL_IPV6.addSubnet(network, prefix, "ipv6");
}

/**
 * Whether an IP address is on the public internet. Addresses that stand for others are not: IPv4-mapped and NAT64 ones,
 * Teredo and 6to4 could lead inside.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !SPECIAL_IPV4.check(address);
  return GLOBAL_IPV6.check(address, "ipv6") && !SPECIAL_IPV6.check(address, "ipv6");
}
