import { isIP, SocketAddress } from "node:net";
import { createMemoryCounter } from "./counter.js";

/**
 * Creates a counter of failed authentications by client address. It counts in this process, so it takes no I/O. It resolves
 * to null, or to the seconds to wait once an address has failed more than `perMinute` times.
 */
export function createFailureCounter(perMinute: number): (address: string) => Promise<number | null> {
  const counter = createMemoryCounter({ limit: perMinute, seconds: 60 });
  return async (address) => {
    const wait = await counter.count(subnet(address));
    return wait === null ? null : Math.max(Math.ceil(wait / 1_000), 1);
  };
}

/** The name that an address is counted under: one for a /64 of IPv6, which usually belongs to one subscriber. */
export function subnet(address: string): string {
  const version = isIP(address);
  const [withoutZone = ""] = address.split("%");
  // Invalid addresses that a client made up are counted together, so that they cannot get round the limit.
  if (version === 0) return "none";
  if (version === 4) return address;
  const canonical = new SocketAddress({ address: withoutZone, family: "ipv6" }).address;
  // Servers that listen on IPv4 and IPv6 see IPv4 addresses in this form.
  if (canonical.startsWith("::ffff:")) return canonical.slice("::ffff:".length);
  const [head = "", tail] = canonical.split("::");
  const groups = head === "" ? [] : head.split(":");
  const rest = tail ? tail.split(":").length : 0;
  while (tail !== undefined && groups.length + rest < 8) groups.push("0");
  return groups.slice(0, 4).join(":");
}
