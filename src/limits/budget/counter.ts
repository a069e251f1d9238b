import { LRUCache } from "lru-cache";
import { tooMany } from "../../errors.js";

/** Counts up to a limit for each id, in a window that starts with the id's first count. */
export interface Counter {
  /**
   * Counts one and resolves to null. At the limit, counts nothing and resolves to the milliseconds until the window
   * ends.
   */
  count(id: string): Promise<number | null>;
  /** Subtracts one, if the window has not ended. */
  uncount(id: string): Promise<void>;
}

export interface CounterOptions {
  /** Unique among all counters. */
  readonly name: string;
  readonly limit: number;
  readonly seconds: number;
}

export type CreateCounter = (options: CounterOptions) => Counter;

/** Counts one for an id. Throws RATE_LIMIT_EXCEEDED with the reason if the limit is reached. */
export async function countOrThrow(counter: Counter, id: string, reason: string): Promise<void> {
  const wait = await counter.count(id);
  if (wait !== null) throw tooMany(reason, wait);
}

/**
 * Maximum number of ids counted at the same time, about 200 bytes each. A caller with more ids could evade the limit.
 */
const MAX_IDS = 100_000;

/** Creates a counter in this process. It never rejects. */
export function createMemoryCounter({ limit, seconds }: Omit<CounterOptions, "name">): Counter {
  const ttl = seconds * 1_000;
  const windows = new LRUCache<string, { count: number }>({
    // `max` would allocate memory for all ids at once.
    maxSize: MAX_IDS,
    sizeCalculation: () => 1,
    ttl,
  });
  return {
    async count(id) {
      const window = windows.get(id) ?? { count: 0 };
      // The cache reads its clock at most once a millisecond, so the remaining time can exceed the window.
      if (window.count >= limit) return Math.min(windows.getRemainingTTL(id), ttl);
      window.count += 1;
      if (window.count === 1) windows.set(id, window);
      return null;
    },
    async uncount(id) {
      const window = windows.get(id);
      if (window && window.count > 0) window.count -= 1;
    },
  };
}
