import { isIP, SocketAddress } from "node:net";
import { LRUCache } from "lru-cache";

const WINDOW_MS = 60_000;
/** Addresses that are counted at the same time, at about 200 bytes each. More addresses than that get round the limit. */
const MOST_ADDRESSES = 100_000;

/**
 * Creates a counter of failed authentications by client address. It counts in this process, so it takes no I/O. It resolves
 * to null, or to the seconds to wait once an address has failed more than `perMinute` times.
 */
export function createFailureCounter(perMinute: number): (address: string) => Promise<number | null> {
  const windows = new LRUCache<string, { failures: number }>({
    // `max` would allocate the memory for all of them at once.
    maxSize: MOST_ADDRESSES,
    sizeCalculation: () => 1,
    ttl: WINDOW_MS,
  });
  return async (address) => {
    const name = subnet(address);
    const window = windows.get(name) ?? { failures: 0 };
    window.failures += 1;
    if (window.failures === 1) windows.set(name, window);
    return window.failures > perMinute ? Math.max(Math.ceil(windows.getRemainingTTL(name) / 1_000), 1) : null;
  };
}

/** The name that an address is counted under: one for a /64 of IPv6, which usually belongs to one subscriber. */
function subnet(address: string): string {
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
