import { AppError } from "../../errors.js";
import type { RequestTime } from "../../time-limit.js";
import { isDatabaseUnavailable } from "../database/unavailable.js";
import type { Changes } from "./changes.js";
import { type Computation, type Computed, createComputations } from "./computations.js";
import { createEntries, isAffected } from "./entries.js";

export interface Cache<Value> {
  /**
   * The cached value, or what `compute` resolves to; callers that ask for the same key at the same time share one
   * computation. `organizationId` says whose data it reads, beside data without an organization; null if only the result
   * tells. A failure is passed on to the caller that began the computation: the others compute for themselves, unless it
   * failed because the database is unavailable. A caller waits for another's computation within its own time limit.
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
  /** Number of lookups by where the value came from. */
  readonly lookups: Readonly<Record<"remembered" | "shared" | "computed", number>>;
}

export interface CacheOptions<Value> {
  readonly changes: Changes;
  /** Maximum size in bytes. */
  readonly maxSize: number;
  /** Size of a value in bytes. */
  readonly sizeOf: (value: Value) => number;
}

/**
 * Makes a cache of values computed from the database. A value is removed as soon as a change to its rows is heard of, and
 * is not stored if the change came during its computation. While changes cannot be heard, nothing is cached.
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
      // If the database is unavailable, another attempt would only add to those that wait for it.
      if (!changes.isHeard() && isServerFailure(error)) throw error;
      return undefined;
    });
    return shared?.basis || (shared && !changes.isHeard()) ? shared : compute();
  };

  return {
    getOrCompute(key, organizationId, { now, inTime }, compute) {
      if (!changes.isHeard()) {
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

/** Whether a failure, such as a timeout, is the database's and not that of the caller's request. */
function isServerFailure(error: unknown): boolean {
  return isDatabaseUnavailable(error) || (error instanceof AppError && error.status >= 500);
}
