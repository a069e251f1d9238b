import { type Change, concerns } from "./changes.js";
import type { OwnedBasis } from "./entries.js";

/** A computed value. Without a basis it is passed on to the one caller, and not cached. */
export interface Computed<Value> {
  readonly value: Value;
  readonly basis: OwnedBasis | null;
}

/** A computation under way. */
export interface Computation<Value> {
  readonly key: string;
  /** Whose data it reads; null if only its result tells. */
  readonly organizationId: string | null;
  readonly result: Promise<Computed<Value>>;
  /** Changes that it may not have seen. */
  readonly missed: Change[];
  /** Whether it may have missed other changes, too. */
  isOutdated: boolean;
}

/** Makes the list of computations under way, by key. A computation can be joined until data that it may read changes. */
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
