import { LRUCache } from "lru-cache";

/** Counts up to a limit for each id, in a window that starts with the id's first count. */
export interface Counter {
  /** Counts one, unless that is over the limit: then it resolves to the milliseconds until the window ends, else to null. */
  count(id: string): Promise<number | null>;
  /** Takes back one that was counted, if its window still lasts. */
  takeBack(id: string): Promise<void>;
}

export interface CounterOptions {
  /** Of what is counted, unique among all counters. */
  readonly name: string;
  readonly limit: number;
  readonly seconds: number;
}

export type CreateCounter = (options: CounterOptions) => Counter;

/** Ids that are counted at the same time, at about 200 bytes each. More ids than that get round the limit. */
const MOST_IDS = 100_000;

/** Creates a counter in this process. It never rejects. */
export function createMemoryCounter({ limit, seconds }: Omit<CounterOptions, "name">): Counter {
  const ttl = seconds * 1_000;
  const windows = new LRUCache<string, { count: number }>({
    // `max` would allocate the memory for all of them at once.
    maxSize: MOST_IDS,
    sizeCalculation: () => 1,
    ttl,
  });
  return {
    async count(id) {
      const window = windows.get(id) ?? { count: 0 };
      // The cache's clock stands still for a millisecond, so more than the whole window can be left.
      if (window.count >= limit) return Math.min(windows.getRemainingTTL(id), ttl);
      window.count += 1;
      if (window.count === 1) windows.set(id, window);
      return null;
    },
    async takeBack(id) {
      const window = windows.get(id);
      if (window && window.count > 0) window.count -= 1;
    },
  };
}
