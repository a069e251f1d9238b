import { isIP, SocketAddress } from "node:net";

/** Returns the id to count an address under: for IPv6 its /64, which usually belongs to one subscriber. */
export function subnet(address: string): string {
  const version = isIP(address);
  const [withoutZone = ""] = address.split("%");
  // Clients can make up invalid addresses. They are counted together, so that nobody evades the limit with them.
  if (version === 0) return "none";
  if (version === 4) return address;
  const canonical = new SocketAddress({ address: withoutZone, family: "ipv6" }).address;
  // A server that listens on both IPv4 and IPv6 sees IPv4 addresses in this form.
  if (canonical.startsWith("::ffff:")) return canonical.slice("::ffff:".length);
  const [head = "", tail] = canonical.split("::");
  const groups = head === "" ? [] : head.split(":");
  const rest = tail ? tail.split(":").length : 0;
  while (tail !== undefined && groups.length + rest < 8) groups.push("0");
  return groups.slice(0, 4).join(":");
}

/** Returns the network of an address: its /24 for IPv4, its /48 for IPv6. One customer may have many subnets in it. */
export function network(address: string): string {
  const name = subnet(address);
  return name.split(/[.:]/).slice(0, 3).join();
}
