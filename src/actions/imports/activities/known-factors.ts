import type { CountedName, FactorKeys, FactorRow } from "../../../data/factors/factors.js";
import { buildFactorIndex, type FactorIndex } from "../../../data/factors/index/factor-index.js";
import { groupBy } from "../../../domain/group-by.js";
import { type TimeLimit, UNLIMITED } from "../../../turns.js";
import { readConcepts } from "../../factors/selection/activity-words.js";
import type { FactorSource } from "../../factors/selection/factor-finder.js";
import { type ActivityQuery, type ActivitySearch, createActivitySearch } from "./search.js";

/** The factors of one owner: the published ones, or an organization's own. */
export interface FactorTable {
  readonly index: FactorIndex;
  readonly names: readonly CountedName[];
  readonly byId: ReadonlyMap<string, FactorRow>;
  readonly byActivity: ReadonlyMap<string, readonly FactorRow[]>;
  readonly byOtherName: ReadonlyMap<string, readonly FactorRow[]>;
  /** By the publisher's identifier in lower case. */
  readonly byPublisherId: ReadonlyMap<string, readonly FactorRow[]>;
}

/** Never pauses: a thread has nothing else to do, and runs one task at a time. */
const WITHOUT_PAUSES: TimeLimit = { ...UNLIMITED, place: null };

/** Indexes the factors of one owner, which takes up to a millisecond each. */
export async function createFactorTable(rows: readonly FactorRow[]): Promise<FactorTable> {
  const verified = rows.filter((row) => row.verified);
  return {
    index: await buildFactorIndex(verified, await readConcepts(), WITHOUT_PAUSES),
    names: countNames(rows),
    byId: new Map(rows.map((row) => [row.id, row])),
    byActivity: groupBy(rows, ({ activity }) => activity),
    byOtherName: groupBy(rows, ({ otherName }) => otherName ?? ""),
    byPublisherId: groupBy(rows, ({ sourceFactorId }) => sourceFactorId?.toLowerCase() ?? ""),
  };
}

function countNames(rows: readonly FactorRow[]): CountedName[] {
  const groups = groupBy(rows, ({ activity, otherName, region, publisherCategory, verified }) =>
    JSON.stringify([activity, otherName, region, publisherCategory, verified]),
  );
  return [...groups.values()].flatMap((group) => (group[0] ? { ...group[0], count: group.length } : []));
}

/** All factors that an organization can use, in memory. */
export interface KnownFactors extends FactorSource {
  byId(id: string): FactorRow | undefined;
  byActivity(activity: string): readonly FactorRow[];
  byPublisherId(id: string): readonly FactorRow[];
  search(query: ActivityQuery): ActivitySearch;
}

/** Combines the published factors and an organization's own. */
export async function combineTables(tables: readonly FactorTable[]): Promise<KnownFactors> {
  const byId = (id: string) => tables.flatMap((table) => table.byId.get(id) ?? [])[0];
  const list = (key: "byActivity" | "byOtherName" | "byPublisherId") => (name: string) =>
    tables.flatMap((table) => table[key].get(name) ?? []);
  const [byActivity, byOtherName, byPublisherId] = [
    list("byActivity"),
    list("byOtherName"),
    list("byPublisherId"),
  ];
  const names = tables.flatMap((table) => table.names);
  return {
    ...WITHOUT_PAUSES,
    byId,
    byActivity,
    byPublisherId,
    search: createActivitySearch(
      tables.map(({ index }) => index),
      await readConcepts(),
    ),
    // An import reports no similar names.
    maxCompared: 0,
    listNames: async () => names,
    find: async ({ ids = [], names = [], sourceFactorIds = [] }: FactorKeys) => {
      const found = [
        ...ids.flatMap((id) => byId(id) ?? []),
        ...names.flatMap((name) => [...byActivity(name), ...byOtherName(name)]),
        ...sourceFactorIds.flatMap(byPublisherId),
      ];
      return [...new Set(found)].sort(compareFactors);
    },
  };
}

/** The order in which the database returns factors. */
function compareFactors(one: FactorRow, other: FactorRow): number {
  for (const name of ORDER) {
    const [a, b] = [one[name] ?? "\uFFFF", other[name] ?? "\uFFFF"];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}
const ORDER = ["activity", "region", "scope", "sourceYear", "category", "detail", "id"] as const;
