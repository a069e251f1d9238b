import type { Summed } from "../../data/emissions/sums.js";
import { findFacilities } from "../../data/facilities/facilities.js";
import type { Loaders } from "../../data/tenant/loaders.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import type { ChangeSplit } from "../../domain/emissions/change-splits.js";
import { type Contribution, listContributions } from "../../domain/emissions/contributions.js";
import { EMISSION_SCOPES } from "../../domain/enums.js";
import type { SeriesKey } from "../../domain/foresight/finding-id.js";
import { periodBefore } from "../../domain/window.js";

/** A part of emissions. */
export interface EmissionPart {
  readonly series: SeriesKey;
  /** Such as `scope 2`, or the name of a facility. */
  readonly label: string;
}

/** Where the change of emissions from the period before comes from, largest change first. */
export async function listEmissionContributions(
  { tenant, loaders }: { readonly tenant: TenantReader; readonly loaders: Loaders },
  summed: Summed,
  by: ChangeSplit,
): Promise<Contribution<EmissionPart>[]> {
  const [now, before] = await Promise.all([
    sumParts(loaders, summed, by),
    sumParts(loaders, { ...summed, range: periodBefore(summed.range) }, by),
  ]);
  const names = [...new Set([...now.keys(), ...before.keys()])];
  const ids = by === "facility" ? names.filter((name) => name !== null) : [];
  const rows = ids.length > 0 ? await findFacilities(tenant, ids) : [];
  const facilities = new Map(rows.map((facility) => [facility.id, facility]));
  const nameOf = (name: string | null): EmissionPart => {
    if (by === "category") return { series: { category: name }, label: name ?? "records without a category" };
    const scope = EMISSION_SCOPES.find((known) => known === name);
    if (scope) return { series: { scope }, label: scope.replace("_", " ") };
    const facility = facilities.get(name ?? "");
    return {
      series: { facility: facility?.code ?? null },
      label: facility?.name ?? "records without a facility",
    };
  };
  return listContributions(
    names.map((name) => ({
      ...{ part: nameOf(name), before: before.get(name) ?? "0", now: now.get(name) ?? "0" },
    })),
  );
}

/** The exact tonnes of each part by its name. */
async function sumParts(loaders: Loaders, summed: Summed, by: ChangeSplit) {
  const parts =
    by === "scope"
      ? (await loaders.emissions(summed)).byScope.map(({ scope, ...amount }) => ({ ...amount, part: scope }))
      : await loaders.parts(summed, by);
  return new Map<string | null, string>(parts.map(({ part, co2eTonnesExact }) => [part, co2eTonnesExact]));
}
