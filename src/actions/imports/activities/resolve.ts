import type { FactorRow } from "../../../data/factors/factors.js";
import type { KeyedMapping } from "../../../data/mappings/write-mappings.js";
import type { MatchProblem, ResolvedBy } from "../../../domain/emissions/activity-report.js";
import { applyReading, mappingKeyOf, nameOfKey } from "../../../domain/ghg/activity-mapping.js";
import type { Unit } from "../../../domain/ghg/units.js";
import { type Edition, inEveryYear, listEditions } from "./editions.js";
import { findByNames } from "./find-by-names.js";
import { type ActivityGroup, textOf } from "./groups.js";
import type { KnownFactors } from "./known-factors.js";
import { limitWords } from "./limits.js";

/** Result for an activity that needs no choice. A gas and an unknown id have no editions. */
export interface Resolution {
  readonly by: ResolvedBy;
  readonly editions: readonly Edition[];
  /** The unit of the amounts. */
  readonly unit: Unit;
  readonly reason: string;
  readonly mappingId: string | null;
}

/** Result for an activity: its factor, or the best candidates. */
export type Resolved = { readonly group: ActivityGroup } & (
  | { readonly resolution: Resolution }
  | {
      readonly candidates: readonly FactorRow[];
      /** Reason for an incomplete search. */
      readonly problem?: MatchProblem | undefined;
    }
);

/**
 * Resolves activities of a file: by the id of a factor, the publisher's id, the organization's mapping, its name (matched
 * as in a selector), or a search. A gas alone needs no factor; its name resolves it. Stops early once `isTimeUp` returns
 * true, but not before the first activity.
 */
export async function resolveActivities(
  factors: KnownFactors,
  mappings: readonly KeyedMapping[],
  groups: readonly ActivityGroup[],
  isTimeUp: () => boolean,
): Promise<readonly Resolved[]> {
  const find = createFinder(factors, new Map(mappings.map((mapping) => [nameOfKey(mapping), mapping])));
  const certain = groups.map(find);
  const named = await findByNames(
    factors,
    groups.filter((_, index) => certain[index] === undefined),
  );
  const resolved: Resolved[] = [];
  for (const [index, group] of groups.entries()) {
    if (index > 0 && isTimeUp()) break;
    const resolution = certain[index];
    resolved.push(resolution ? { group, resolution } : resolveByText(factors, group, named.get(group)));
  }
  return resolved;
}

/** Resolves an activity by the factor of its name, or else by a search. */
function resolveByText(factors: KnownFactors, group: ActivityGroup, named: FactorRow | undefined): Resolved {
  const { decided, ...found } = named ? { decided: named, candidates: [] } : searchOne(factors, group);
  if (!decided) return { group, ...found };
  const by = named ? "name" : "search";
  const editions = listEditions(decided, factors.byActivity(decided.activity));
  const reason = `${by} ${quotedTextOf(group)}`;
  return { group, resolution: { by, editions, unit: group.unit, reason, mappingId: null } };
}

const quotedTextOf = (group: ActivityGroup) =>
  `${JSON.stringify(textOf(group))} (${[group.unit.name, group.region].filter(Boolean).join(", ")})`;

/**
 * Creates the lookup for activities that need no search. It returns undefined for an activity that has no id, is not a
 * gas alone, and has no mapping.
 */
function createFinder(factors: KnownFactors, mappings: ReadonlyMap<string, KeyedMapping>) {
  return (group: ActivityGroup): Resolution | undefined => {
    const { factor_id: id, source_factor_id: publisherId, gas, activity } = group.naming;
    const common = { unit: group.unit, mappingId: null };
    if (id !== "") {
      const factor = factors.byId(id.toLowerCase());
      const editions = factor ? inEveryYear(factor) : [];
      return { ...common, by: "factor_id", editions, reason: "chosen by its id" };
    }
    if (publisherId !== "") {
      const [factor, ...others] = factors.byPublisherId(publisherId.toLowerCase());
      const editions = factor ? listEditions(factor, others) : [];
      return {
        ...common,
        by: "source_factor_id",
        editions,
        reason: `chosen by its publisher's id ${publisherId}`,
      };
    }
    if (activity === "" && gas !== "") return { ...common, by: "name", editions: [], reason: "" };
    const mapping = findMapping(group, mappings);
    const factor = mapping && factors.byId(mapping.factorId);
    if (!mapping || !factor) return undefined;
    return {
      by: "mapping",
      editions: mapping.fixedYear
        ? inEveryYear(factor)
        : listEditions(factor, factors.byActivity(factor.activity)),
      unit: applyReading(group.unit, mapping.unitAs),
      reason: describeMapping(mapping),
      mappingId: mapping.id,
    };
  };
}

/** Finds the mapping for the activity's own region, or else for all regions. */
function findMapping(group: ActivityGroup, mappings: ReadonlyMap<string, KeyedMapping>) {
  const of = (region: string | null) =>
    mappings.get(nameOfKey(mappingKeyOf(group.naming.activity, group.unit, region)));
  return (group.region === null ? undefined : of(group.region)) ?? of(null);
}

function describeMapping({ text, unit, region, setBy, updatedAt }: KeyedMapping): string {
  const key = `${JSON.stringify(text)} (${[unit, region].filter(Boolean).join(", ")})`;
  return `mapping ${key}, set by ${setBy ?? "an operator"} on ${new Date(updatedAt).toISOString().slice(0, 10)}`;
}

/** Searches for the first words of an activity. The search decides only if these are all. */
function searchOne(factors: KnownFactors, { naming, unit, region, lastYear }: ActivityGroup) {
  const { text, problem } = limitWords([naming.activity, naming.detail].filter(Boolean).join(" "));
  const found = factors.search({ text, unit, region, year: lastYear });
  if (!problem) return found;
  const { decided, candidates } = found;
  return { decided: null, candidates: decided ? [decided] : candidates, problem };
}
