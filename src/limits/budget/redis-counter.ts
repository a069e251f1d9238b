import { type Counter, type CounterOptions, createMemoryCounter } from "./counter.js";
import type { CountingClient } from "./counting-client.js";

export interface RedisCounterOptions extends CounterOptions {
  /** A client whose windows last `seconds`. */
  readonly client: CountingClient;
  /** Returns true if Redis is known to be unavailable, so requests must not wait for it. */
  readonly isGivenUp: () => boolean;
  /** Called with the key that Redis failed to count. */
  readonly onFailure: (key: string) => void;
}

/** Creates a counter in Redis that counts in this process if Redis fails. It never rejects. */
export function createRedisCounter(options: RedisCounterOptions): Counter {
  const { name, limit, seconds, client, isGivenUp, onFailure } = options;
  const memory = createMemoryCounter({ limit, seconds });
  const insured = async <Reply>(
    id: string,
    inRedis: (key: string) => Promise<Reply>,
    inMemory: (id: string) => Promise<Reply>,
  ) => {
    const key = `carbon-gateway:${name}:${id}`;
    try {
      if (!isGivenUp() && client.status === "ready") return await inRedis(key);
    } catch {
      // The probe reports the reason.
    }
    onFailure(key);
    return inMemory(id);
  };
  const count = async (key: string) => {
    const [counted = 0, msToReset = 0] = await client.rlflxIncr([key, "1", String(seconds), String(limit)]);
    return counted > limit ? msToReset : null;
  };
  return {
    count: (id) => insured(id, count, memory.count),
    uncount: (id) => insured(id, client.uncount, memory.uncount),
  };
}
