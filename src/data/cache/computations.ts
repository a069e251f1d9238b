import { type Change, concerns } from "./changes.js";
import type { OwnedBasis } from "./entries.js";

/** A computed value. Without a basis, it is not cached, and is shared with other callers only if no changes arrive. */
export interface Computed<Value> {
  readonly value: Value;
  readonly basis: OwnedBasis | null;
}

export interface Computation<Value> {
  readonly key: string;
  /** Organization whose data it reads; null if it is known only from the result. */
  readonly organizationId: string | null;
  readonly result: Promise<Computed<Value>>;
  /** Changes made during the computation, which its result may not reflect. */
  readonly missed: Change[];
  /** True if there may have been other changes that this process did not receive. */
  isOutdated: boolean;
}

/** Creates the list of running computations, by key. Callers can join one until data that it may read changes. */
export function createComputations<Value>() {
  const joinable = new Map<string, Computation<Value>>();
  const running = new Set<Computation<Value>>();
  const close = (computation: Computation<Value>) => {
    if (joinable.get(computation.key) === computation) joinable.delete(computation.key);
  };
  return {
    find: (key: string) => joinable.get(key),
    add(key: string, organizationId: string | null, result: Promise<Computed<Value>>): Computation<Value> {
      const computation = { key, organizationId, result, missed: [], isOutdated: false };
      running.add(computation);
      joinable.set(key, computation);
      return computation;
    },
    remove(computation: Computation<Value>): void {
      running.delete(computation);
      close(computation);
    },
    noteChange(change: Change): void {
      for (const computation of running) {
        if (!concerns(change, computation.organizationId)) continue;
        computation.missed.push(change);
        close(computation);
      }
    },
    noteLoss(): void {
      for (const computation of running) computation.isOutdated = true;
      joinable.clear();
    },
  };
}
