import type { SqlSession } from "../../../data/database/types.js";
import { type FactorRow, listAllFactors } from "../../../data/factors/factors.js";
import { type KeyedMapping, listKeyedMappings } from "../../../data/mappings/write-mappings.js";
import { readInTransaction, type TenantReader } from "../../../data/tenant/reader.js";
import type { ResolvedBy } from "../../../domain/emissions/activity-report.js";
import { applyReading, mappingKeyOf, nameOfKey } from "../../../domain/ghg/activity-mapping.js";
import type { Unit } from "../../../domain/ghg/units.js";
import { groupBy } from "../../../domain/group-by.js";
import { mapInTurns } from "../../../turns.js";
import { type Edition, inEveryYear, listEditions } from "./editions.js";
import { findByNames } from "./find-by-names.js";
import { type ActivityGroup, textOf } from "./groups.js";
import { createActivitySearch } from "./search.js";

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
  | { readonly candidates: readonly FactorRow[] }
);

/**
 * Resolves each activity of a file once: by the id of a factor, the publisher's id, the organization's mapping, its
 * name (matched as in a selector), or a search. A gas alone needs no factor; its name resolves it.
 */
export async function resolveActivities(
  sql: SqlSession,
  organizationId: string,
  groups: readonly ActivityGroup[],
): Promise<readonly Resolved[]> {
  const tenant = readInTransaction(sql, organizationId);
  const database = { select: sql.query };
  const factors = [
    ...(await listAllFactors(database, null)),
    ...(await listAllFactors(database, organizationId)),
  ];
  const mappings = new Map(
    (await listKeyedMappings(sql, organizationId)).map((mapping) => [nameOfKey(mapping), mapping]),
  );
  const find = createFinder(factors, mappings);
  const certain = groups.map((group) => find(group));
  const open = groups.filter((_, index) => certain[index] === undefined);
  const named = await findByNames(tenant, open);
  const rest = open.filter((group) => !named.has(group));
  const searched = await searchAll(tenant, factors, rest);
  const editionsOf = (factor: FactorRow) => listEditions(factor, find.listNamesakes(factor));
  return groups.map((group, index) => {
    const resolution = certain[index];
    if (resolution) return { group, resolution };
    const name = named.get(group);
    const { decided, candidates } = searched.get(group) ?? { decided: null, candidates: [] };
    const factor = name ?? decided;
    if (!factor) return { group, candidates };
    const by = name ? "name" : "search";
    const reason = `${by} ${quotedTextOf(group)}`;
    return {
      group,
      resolution: { by, editions: editionsOf(factor), unit: group.unit, reason, mappingId: null },
    };
  });
}

const quotedTextOf = (group: ActivityGroup) =>
  `${JSON.stringify(textOf(group))} (${[group.unit.name, group.region].filter(Boolean).join(", ")})`;

/**
 * Creates the lookup for activities that need no search. It returns undefined for an activity that has no id, is not a
 * gas alone, and has no mapping.
 */
function createFinder(factors: readonly FactorRow[], mappings: ReadonlyMap<string, KeyedMapping>) {
  const byId = new Map(factors.map((factor) => [factor.id, factor]));
  const byName = groupBy(factors, ({ activity }) => activity);
  const byPublisherId = groupBy(factors, ({ sourceFactorId }) => sourceFactorId?.toLowerCase() ?? "");
  const listNamesakes = ({ activity }: FactorRow) => byName.get(activity) ?? [];

  const find = (group: ActivityGroup): Resolution | undefined => {
    const { factor_id: id, source_factor_id: publisherId, gas, activity } = group.naming;
    const common = { unit: group.unit, mappingId: null };
    if (id !== "") {
      const factor = byId.get(id.toLowerCase());
      const editions = factor ? inEveryYear(factor) : [];
      return { ...common, by: "factor_id", editions, reason: "chosen by its id" };
    }
    if (publisherId !== "") {
      const [factor, ...others] = byPublisherId.get(publisherId.toLowerCase()) ?? [];
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
    const factor = mapping && byId.get(mapping.factorId);
    if (!mapping || !factor) return undefined;
    return {
      by: "mapping",
      editions: mapping.fixedYear ? inEveryYear(factor) : listEditions(factor, listNamesakes(factor)),
      unit: applyReading(group.unit, mapping.unitAs),
      reason: describeMapping(mapping),
      mappingId: mapping.id,
    };
  };
  return Object.assign(find, { listNamesakes });
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

async function searchAll(
  time: TenantReader,
  factors: readonly FactorRow[],
  groups: readonly ActivityGroup[],
) {
  if (groups.length === 0) return new Map<ActivityGroup, Awaited<ReturnType<typeof searchOne>>>();
  const search = await createActivitySearch(factors, time);
  const found = await mapInTurns(groups, time, (group) => searchOne(search, group));
  return new Map(groups.map((group, index) => [group, found[index] ?? { decided: null, candidates: [] }]));
}

const searchOne = (search: Awaited<ReturnType<typeof createActivitySearch>>, group: ActivityGroup) =>
  search({
    text: [group.naming.activity, group.naming.detail].filter(Boolean).join(" "),
    unit: group.unit,
    region: group.region,
    year: group.lastYear,
  });
