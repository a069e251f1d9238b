import {
  type CountedName,
  type FactorKeys,
  type FactorRow,
  findFactors,
  listFactorNames,
  spellingsOf,
} from "../../../data/factors/factors.js";
import type { TenantReader } from "../../../data/tenant/reader.js";
import { listNearest, type PairedName, pairName } from "../../../domain/ghg/nearest-names.js";
import { once } from "../../../domain/once.js";
import { isUuid } from "../../../domain/texts/uuid.js";
import { mapInTurns, type TimeLimit, UNLIMITED } from "../../../turns.js";
import type { Activity, FactorSelector } from "../activity.js";
import { createNameReader, readActivity, type WantedActivity } from "./activity-names.js";
import { readConcepts } from "./activity-words.js";
import { type Candidate, readCandidate } from "./candidate.js";

/** Factors for some activities, read in two statements. */
export interface FactorFinder {
  readonly byId: (id: string) => FactorRow | undefined;
  /** Returns verified factors that may match the selector's activity, or that have its publisher's id. */
  readonly candidatesOf: (selector: FactorSelector) => readonly Candidate[];
  readonly activityOf: (name: string) => WantedActivity;
  /** Returns the factors with the most similar names; none for unknown activities after the first ten. */
  readonly nearestTo: (name: string) => readonly Candidate[];
  /** Lists names of all verified factors, most frequent first. */
  readonly listNames: (max: number) => readonly string[];
}

const NEAREST = 3;
/** Maximum number of unknown activities to compare with every name, which takes a few milliseconds each. */
const MAX_COMPARED = 10;

/** Returns the reader of factor names that all calculations share. */
export const nameReader = once(async () => createNameReader(await readConcepts()));

/** Factors to choose from, in memory or in the database. */
export interface FactorSource extends TimeLimit {
  listNames(): Promise<readonly CountedName[]>;
  find(keys: FactorKeys): Promise<readonly FactorRow[]>;
  /** Maximum number of unknown activities to compare with every name. */
  readonly maxCompared: number;
}

const storedFactors = (tenant: TenantReader): FactorSource => ({
  inTime: (work) => tenant.inTime(work),
  place: tenant.place,
  listNames: () => listFactorNames(tenant),
  find: (keys) => findFactors(tenant, keys),
  maxCompared: MAX_COMPARED,
});

/** Reads the factors that may apply to the activities. */
export async function createFactorFinder(
  factors: TenantReader | FactorSource,
  activities: readonly Activity[],
): Promise<FactorFinder> {
  const source = "find" in factors ? factors : storedFactors(factors);
  const selectors = activities.flatMap(({ selector }) => selector ?? []);
  const [concepts, readNames] = await Promise.all([readConcepts(), nameReader()]);
  const asked = new Set(selectors.flatMap(({ activity }) => activity ?? []));
  const wanted = new Map(
    await mapInTurns(asked, source, (activity) => [activity, readActivity(activity, concepts)] as const),
  );
  const { verified, byKey, paired } = await (wanted.size === 0 ? NO_NAMES : findNames(source));
  const named = await mapInTurns(wanted.values(), source, (activity) =>
    keysOf(new Set([activity.name]), new Set(activity.concepts)).flatMap((key) => byKey.get(key) ?? []),
  );
  const unknown = [...wanted.keys()]
    .filter((_, index) => named[index]?.length === 0)
    .slice(0, source.maxCompared);
  const all = unknown.length > 0 ? await source.inTime(paired) : [];
  const nearest = new Map(
    await mapInTurns(
      unknown,
      source,
      (name) => [name, listNearest(all, name.slice(0, 200), NEAREST)] as const,
    ),
  );
  const rows = await source.find({
    ids: activities.flatMap(({ factorId }) => (factorId && isUuid(factorId) ? [factorId] : [])),
    names: [...new Set([...named.flat(), ...[...nearest.values()].flat()])],
    sourceFactorIds: selectors.flatMap(({ sourceFactorId }) =>
      // PostgreSQL cannot store NUL in text.
      sourceFactorId == null || sourceFactorId.includes("\0") ? [] : sourceFactorId.toLowerCase(),
    ),
  });
  const read = await mapInTurns(rows, source, (row) => readCandidate(row, readNames(row)));
  const candidates = read.filter(({ row }) => row.verified);
  const frequent = once(() => listByFrequency(verified));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    byId: (id) => byId.get(id.toLowerCase()),
    activityOf: (name) => wanted.get(name) ?? readActivity(name, concepts),
    candidatesOf: ({ sourceFactorId }) => {
      const id = sourceFactorId?.toLowerCase();
      return id === undefined
        ? candidates
        : candidates.filter(({ row }) => row.sourceFactorId?.toLowerCase() === id);
    },
    nearestTo: (name) =>
      (nearest.get(name) ?? []).flatMap(
        (near) => candidates.find(({ row }) => row.activity === near || row.otherName === near) ?? [],
      ),
    listNames: (max) => frequent().slice(0, max),
  };
}

/** The names of all verified factors. */
interface VerifiedNames {
  readonly verified: readonly CountedName[];
  /** Activities by the keys of their names, in any tier. */
  readonly byKey: ReadonlyMap<string, readonly string[]>;
  /** All spellings, to compare with unknown activities. */
  readonly paired: () => Promise<readonly PairedName[]>;
}

const NO_NAMES: VerifiedNames = { verified: [], byKey: new Map(), paired: async () => [] };

/** Names by the rows they come from. Requests share cached rows, and no single one waits for this work alone. */
const knownNames = new WeakMap<readonly CountedName[], Promise<VerifiedNames>>();

async function findNames(source: FactorSource): Promise<VerifiedNames> {
  const rows = await source.listNames();
  const found = knownNames.get(rows) ?? indexNames(rows);
  knownNames.set(rows, found);
  return source.inTime(() => found);
}

async function indexNames(rows: readonly CountedName[]): Promise<VerifiedNames> {
  const verified = rows.filter((name) => name.verified);
  const readNames = await nameReader();
  const byKey = new Map<string, string[]>();
  await mapInTurns(verified, UNLIMITED, (name) => {
    const { exact, short, word, kind } = readNames(name);
    for (const key of [...keysOf(exact, word), ...keysOf(short, kind)]) {
      const known = byKey.get(key);
      if (known) known.push(name.activity);
      else byKey.set(key, [name.activity]);
    }
  });
  const paired = once(() =>
    mapInTurns([...new Set(verified.flatMap(spellingsOf))].sort(), UNLIMITED, pairName),
  );
  return { verified, byKey, paired };
}

const keysOf = (names: ReadonlySet<string>, concepts: ReadonlySet<string>): string[] => [
  ...[...names].map((name) => `name ${name}`),
  ...[...concepts].map((concept) => `concept ${concept}`),
];

function listByFrequency(names: readonly CountedName[]): string[] {
  const counts = new Map<string, number>();
  for (const { activity, count } of names) counts.set(activity, (counts.get(activity) ?? 0) + count);
  return [...counts]
    .sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1))
    .map(([name]) => name);
}
