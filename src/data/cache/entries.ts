import { LRUCache } from "lru-cache";
import { sizeOfText } from "../../domain/texts/size-in-memory.js";
import { type Change, concerns } from "./changes.js";

/** Tables that a value was read from, and how long it is valid. */
export interface Basis {
  readonly tables: ReadonlySet<string>;
  /** Expiry in milliseconds since 1970; infinity if only a change invalidates the value. */
  readonly until: number;
}

/** A basis with the organization whose rows were read, in addition to rows without an organization. */
export interface OwnedBasis extends Basis {
  readonly organizationId: string;
}

interface Entry<Value> extends OwnedBasis {
  readonly value: Value;
}

/** Approximate size of an entry without its value and its key, in bytes. */
const ENTRY_SIZE = 400;

/** Creates an LRU store of values by key, of at most `maxSize` bytes. */
export function createEntries<Value>(maxSize: number, sizeOf: (value: Value) => number) {
  const keysByOrganization = new Map<string, Set<string>>();
  const entries = new LRUCache<string, Entry<Value>>({
    maxSize,
    sizeCalculation: ({ value }, key) => sizeOf(value) + sizeOfText(key) + ENTRY_SIZE,
    dispose({ organizationId }, key) {
      const keys = keysByOrganization.get(organizationId);
      keys?.delete(key);
      if (keys?.size === 0) keysByOrganization.delete(organizationId);
    },
  });
  const shareTables = createTableSets();

  return {
    /** Returns the entry; undefined if it is missing or has expired. */
    find(key: string, now: Date): Entry<Value> | undefined {
      const entry = entries.get(key);
      return entry && now.getTime() < entry.until ? entry : undefined;
    },
    add(key: string, value: Value, { organizationId, tables, until }: OwnedBasis): void {
      entries.set(key, { value, organizationId, tables: shareTables(tables), until });
      // The store rejects values that are too large.
      if (!entries.has(key)) return;
      const keys = keysByOrganization.get(organizationId);
      if (keys) keys.add(key);
      else keysByOrganization.set(organizationId, new Set([key]));
    },
    /** Removes values that were read from changed rows. */
    invalidate(change: Change): void {
      const { organizationId, table } = change;
      const keys = organizationId === null ? entries.keys() : (keysByOrganization.get(organizationId) ?? []);
      for (const key of [...keys]) {
        if (table === null || entries.peek(key)?.tables.has(table)) entries.delete(key);
      }
    },
    clear: () => entries.clear(),
    size: () => ({ entries: entries.size, bytes: entries.calculatedSize }),
  };
}

/** Creates a function that returns the same object for equal sets, since thousands of entries share a few sets. */
function createTableSets() {
  const sets = new Map<string, ReadonlySet<string>>();
  return (tables: ReadonlySet<string>): ReadonlySet<string> => {
    const id = [...tables].toSorted().join();
    const same = sets.get(id) ?? new Set(tables);
    sets.set(id, same);
    return same;
  };
}

/** Returns true if any of these changes affects a value with this basis. */
export function isAffected({ organizationId, tables }: OwnedBasis, changes: readonly Change[]): boolean {
  return changes.some(
    (change) => concerns(change, organizationId) && (change.table === null || tables.has(change.table)),
  );
}
