import { LRUCache } from "lru-cache";
import { AppError } from "../../errors.js";
import type { RequestTime } from "../database/time-limit.js";
import { isDatabaseUnavailable } from "../database/unavailable.js";
import type { Basis } from "../tenant/reader.js";
import type { Change, Changes } from "./changes.js";

/** What was computed; without a basis it is passed on, and not remembered. */
export interface Computed<Value> {
  readonly value: Value;
  readonly basis: (Basis & { readonly organizationId: string }) | null;
}

export interface Memory<Value> {
  /**
   * What is remembered under a name, or else what `compute` resolves to; who asks at the same time shares one
   * computation. `organizationId` is whose data it depends on, beside data of no one; null where only the computation
   * tells. A failed computation fails for the one who began it: the others compute for themselves, unless it failed
   * because the database is away. Another's computation is waited for in the caller's own time.
   */
  recall(
    name: string,
    organizationId: string | null,
    caller: RequestTime,
    compute: () => Promise<Computed<Value>>,
  ): Value | Promise<Value>;
  state(): MemoryState;
}

/** How a memory does. */
export interface MemoryState {
  readonly entries: number;
  readonly bytes: number;
  readonly maxBytes: number;
  /** How often something was asked for, by where it came from. */
  readonly lookups: Readonly<Record<"remembered" | "shared" | "computed", number>>;
}

export interface MemoryOptions<Value> {
  readonly changes: Changes;
  /** Most that is remembered, in bytes; what was not asked for the longest is forgotten first. */
  readonly maxSize: number;
  /** Bytes of a value. */
  readonly sizeOf: (value: Value) => number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly organizationId: string;
  readonly tables: ReadonlySet<string>;
  readonly until: number;
}

/** Roughly what an entry takes beside its value and its name, in bytes. */
const ENTRY_SIZE = 400;

/** Bytes that a text takes in memory: one for each character, or two for each once one is not of Latin-1. */
export function sizeOfText(text: string): number {
  return /[^\0-\xff]/.test(text) ? 2 * text.length : text.length;
}

interface Computation<Value> {
  readonly name: string;
  readonly organizationId: string | null;
  readonly result: Promise<Computed<Value>>;
  /** Changes that it may not have seen. */
  readonly missed: Change[];
}

/**
 * Makes a memory of what was computed from the database. What rests on data that has changed is forgotten when the
 * change is heard of, and what was begun before that is not remembered; while changes are not heard, nothing is.
 */
export function createMemory<Value>(options: MemoryOptions<Value>): Memory<Value> {
  const { changes, maxSize, sizeOf } = options;
  const names = new Map<string, Set<string>>();
  const entries = new LRUCache<string, Entry<Value>>({
    maxSize,
    sizeCalculation: ({ value }, name) => sizeOf(value) + sizeOfText(name) + ENTRY_SIZE,
    dispose({ organizationId }, name) {
      const siblings = names.get(organizationId);
      siblings?.delete(name);
      if (siblings?.size === 0) names.delete(organizationId);
    },
  });
  /** Thousands of answers rest on the same few sets of tables. */
  const tableSets = new Map<string, ReadonlySet<string>>();
  const findSame = (tables: ReadonlySet<string>): ReadonlySet<string> => {
    const id = [...tables].toSorted().join();
    const same = tableSets.get(id) ?? new Set(tables);
    tableSets.set(id, same);
    return same;
  };
  /** What somebody may still join, by name, and all that is under way. */
  const joinable = new Map<string, Computation<Value>>();
  const computations = new Set<Computation<Value>>();
  let era = 0;
  const lookups = { remembered: 0, shared: 0, computed: 0 };

  const withdraw = (computation: Computation<Value>) => {
    if (joinable.get(computation.name) === computation) joinable.delete(computation.name);
  };
  const forget = (concerned: Iterable<string>, { table }: Change) => {
    for (const name of concerned) {
      if (entries.peek(name)?.tables.has(table)) entries.delete(name);
    }
  };
  changes.observe({
    changed(change) {
      const { organizationId } = change;
      forget(organizationId === null ? [...entries.keys()] : [...(names.get(organizationId) ?? [])], change);
      for (const computation of computations) {
        if (!isOf(change, computation.organizationId)) continue;
        computation.missed.push(change);
        withdraw(computation);
      }
    },
    lost() {
      era += 1;
      entries.clear();
      joinable.clear();
    },
  });

  const remember = ({ value, basis }: Computed<Value>, { name, missed }: Computation<Value>) => {
    if (basis === null) return;
    const { organizationId, until } = basis;
    const tables = findSame(basis.tables);
    if (missed.some((change) => isOf(change, organizationId) && tables.has(change.table))) return;
    entries.set(name, { value, organizationId, tables, until });
    // Too large to be remembered at all.
    if (!entries.has(name)) return;
    const siblings = names.get(organizationId);
    if (siblings) siblings.add(name);
    else names.set(organizationId, new Set([name]));
  };

  const begin = (
    name: string,
    organizationId: string | null,
    compute: () => Promise<Computed<Value>>,
  ): Computation<Value> => {
    const begunIn = era;
    const computation: Computation<Value> = {
      ...{ name, organizationId, missed: [] },
      result: compute(),
    };
    computations.add(computation);
    joinable.set(name, computation);
    const end = () => {
      computations.delete(computation);
      withdraw(computation);
    };
    computation.result.then((computed) => {
      if (begunIn === era) remember(computed, computation);
      end();
    }, end);
    return computation;
  };

  const join = async ({ result }: Computation<Value>, compute: () => Promise<Computed<Value>>) => {
    const shared = await result.catch((error: unknown) => {
      // Where the database is away, another attempt would only be one more that has to wait for it.
      if (!changes.isHeard() && isOfDatabase(error)) throw error;
      return undefined;
    });
    return shared?.basis || (shared && !changes.isHeard()) ? shared : compute();
  };

  return {
    recall(name, organizationId, { now, inTime }, compute) {
      if (!changes.isHeard()) {
        lookups.computed += 1;
        return compute().then(({ value }) => value);
      }
      const entry = entries.get(name);
      if (entry && now.getTime() < entry.until) {
        lookups.remembered += 1;
        return entry.value;
      }
      const shared = joinable.get(name);
      lookups[shared ? "shared" : "computed"] += 1;
      const computed = shared
        ? inTime(() => join(shared, compute))
        : begin(name, organizationId, compute).result;
      return computed.then(({ value }) => value);
    },
    state: () => ({ entries: entries.size, bytes: entries.calculatedSize, maxBytes: maxSize, lookups }),
  };
}

/** Whether a failure, such as a wait that took too long, is the database's, and not that of the one who asked. */
function isOfDatabase(error: unknown): boolean {
  return isDatabaseUnavailable(error) || (error instanceof AppError && error.status >= 500);
}

function isOf(change: Change, organizationId: string | null): boolean {
  return (
    change.organizationId === null || organizationId === null || change.organizationId === organizationId
  );
}
