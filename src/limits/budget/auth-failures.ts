import { subnet } from "../../subnet.js";
import { createMemoryCounter } from "./counter.js";

/**
 * Creates a counter of failed authentications by client address, in this process. It resolves to null, or after more
 * than `perMinute` failures to the seconds to wait.
 */
export function createFailureCounter(perMinute: number): (address: string) => Promise<number | null> {
  const counter = createMemoryCounter({ limit: perMinute, seconds: 60 });
  return async (address) => {
    const wait = await counter.count(subnet(address));
    return wait === null ? null : Math.max(Math.ceil(wait / 1_000), 1);
  };
}
