import { isIPv6 } from "node:net";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/**
 * Counts failed authentications by client address, in this process, so that counting costs no I/O. The returned
 * function resolves to null, or to the seconds to wait once an address has failed more than `perMinute` times.
 */
export function createFailureCounter(perMinute: number): (address: string) => Promise<number | null> {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return async (address) => {
    try {
      await limiter.consume(subnet(address));
      return null;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return Math.max(Math.ceil(refusal.msBeforeNext / 1_000), 1);
    }
  };
}

/** One subscriber usually holds a whole /64 of IPv6 addresses. */
function subnet(address: string): string {
  if (!isIPv6(address) || address.startsWith("::ffff:")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const rest = tail === "" ? 0 : tail.split(":").length;
    while (groups.length + rest < 8) groups.push("0");
  }
  return groups.slice(0, 4).join(":");
}
