import { AppError } from "../../errors.js";
import type { RequestTime } from "../../time-limit.js";
import { isDatabaseUnavailable } from "../database/unavailable.js";
import type { Changes } from "./changes.js";
import { type Computation, type Computed, createComputations } from "./computations.js";
import { createEntries, isAffected } from "./entries.js";

export interface Cache<Value> {
  /**
   * Returns the cached value, or computes it. Concurrent callers with the same key share one computation, and each
   * waits within its own time limit. If the computation fails, only the caller that started it sees the error; the
   * others compute again, unless the server failed and changes no longer arrive. `organizationId` is the organization
   * whose data is read, in addition to data without an organization; null if it is known only from the result.
   */
  getOrCompute(
    key: string,
    organizationId: string | null,
    caller: RequestTime,
    compute: () => Promise<Computed<Value>>,
  ): Value | Promise<Value>;
  state(): CacheState;
}

export interface CacheState {
  readonly entries: number;
  readonly bytes: number;
  readonly maxBytes: number;
  /** Number of lookups, by source of the value. */
  readonly lookups: Readonly<Record<"remembered" | "shared" | "computed", number>>;
}

export interface CacheOptions<Value> {
  readonly changes: Changes;
  /** In bytes. */
  readonly maxSize: number;
  /** Returns the size of a value in bytes. */
  readonly sizeOf: (value: Value) => number;
}

/**
 * Creates a cache of values computed from the database. It drops a value as soon as its rows change, and does not store
 * a value whose rows changed during the computation. It caches nothing while it cannot receive changes.
 */
export function createCache<Value>({ changes, maxSize, sizeOf }: CacheOptions<Value>): Cache<Value> {
  const entries = createEntries(maxSize, sizeOf);
  const computations = createComputations<Value>();
  const lookups = { remembered: 0, shared: 0, computed: 0 };
  changes.observe({
    changed(change) {
      entries.invalidate(change);
      computations.noteChange(change);
    },
    lost() {
      entries.clear();
      computations.noteLoss();
    },
  });

  const begin = (key: string, organizationId: string | null, result: Promise<Computed<Value>>) => {
    const computation = computations.add(key, organizationId, result);
    result.then(
      ({ value, basis }) => {
        const { isOutdated, missed } = computation;
        if (basis !== null && !isOutdated && !isAffected(basis, missed)) entries.add(key, value, basis);
        computations.remove(computation);
      },
      () => computations.remove(computation),
    );
    return result;
  };

  const join = async ({ result }: Computation<Value>, compute: () => Promise<Computed<Value>>) => {
    const shared = await result.catch((error: unknown) => {
      // If the database is unavailable, another attempt would only add to the queue.
      if (!changes.isListening() && isServerFailure(error)) throw error;
      return undefined;
    });
    return shared?.basis || (shared && !changes.isListening()) ? shared : compute();
  };

  return {
    getOrCompute(key, organizationId, { now, inTime }, compute) {
      if (!changes.isListening()) {
        lookups.computed += 1;
        return compute().then(({ value }) => value);
      }
      const entry = entries.find(key, now);
      if (entry) {
        lookups.remembered += 1;
        return entry.value;
      }
      const shared = computations.find(key);
      lookups[shared ? "shared" : "computed"] += 1;
      const computed = shared ? inTime(() => join(shared, compute)) : begin(key, organizationId, compute());
      return computed.then(({ value }) => value);
    },
    state: () => ({ ...entries.size(), maxBytes: maxSize, lookups }),
  };
}

/** Returns true if the database or the server, rather than the request, caused an error, such as a timeout. */
export function isServerFailure(error: unknown): boolean {
  return isDatabaseUnavailable(error) || (error instanceof AppError && error.status >= 500);
}
