import { isIP, SocketAddress } from "node:net";
import { LRUCache } from "lru-cache";

const WINDOW_MS = 60_000;
/** What is counted at the same time, at some 200 bytes each; who has more addresses than that is not held back here. */
const MOST_ADDRESSES = 100_000;

/**
 * Counts failed authentications by client address, in this process, so that counting costs no I/O. The returned
 * function resolves to null, or to the seconds to wait once an address has failed more than `perMinute` times.
 */
export function createFailureCounter(perMinute: number): (address: string) => Promise<number | null> {
  const windows = new LRUCache<string, { failures: number }>({
    // With `max` it would take the memory for all of them at once.
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

/** One subscriber usually holds a whole /64 of IPv6 addresses. However it is written, an address has one name. */
function subnet(address: string): string {
  const version = isIP(address);
  const [withoutZone = ""] = address.split("%");
  // What a proxy, or a client behind too few of them, made up: counted together, so that it can be no way round.
  if (version === 0) return "none";
  if (version === 4) return address;
  const canonical = new SocketAddress({ address: withoutZone, family: "ipv6" }).address;
  // IPv4 in the clothes of IPv6, as servers see it that listen on both.
  if (canonical.startsWith("::ffff:")) return canonical.slice("::ffff:".length);
  const [head = "", tail] = canonical.split("::");
  const groups = head === "" ? [] : head.split(":");
  const rest = tail ? tail.split(":").length : 0;
  while (tail !== undefined && groups.length + rest < 8) groups.push("0");
  return groups.slice(0, 4).join(":");
}
