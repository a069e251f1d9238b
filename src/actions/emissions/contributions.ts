import type { Access } from "../../access/context.js";
import { listChanges } from "../../data/emissions/changes.js";
import type { RecordsToSum } from "../../data/emissions/select-sums.js";
import { type FacilityRow, findFacilities } from "../../data/facilities/facilities.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import type { ChangeSplit } from "../../domain/emissions/change-splits.js";
import { type Changes, type Contribution, withShare } from "../../domain/emissions/contributions.js";
import { EMISSION_SCOPES } from "../../domain/enums.js";
import type { SeriesKey } from "../../domain/foresight/anomaly-id.js";
import { MAX_PAGE_SIZE } from "../../domain/page.js";
import { periodBefore } from "../../domain/window.js";
import { chargeForSeries } from "../../limits/cost/series-cost.js";
import { runInSequence } from "../run-in-sequence.js";

/** A part of emissions: a scope, category, facility, or category of a facility. */
export interface EmissionPart {
  readonly series: SeriesKey;
  readonly facility?: FacilityRow | undefined;
  /** Label such as `scope 2` or a facility's name. */
  readonly label: string;
}

/**
 * Lists the parts that contributed most to the change in emissions since the period `before`: at most 100, largest
 * first. `likeForLike` counts only series that are complete in both periods, and requires whole months. Throws
 * BAD_USER_INPUT if the parts cost too many points.
 */
export async function listEmissionContributions(
  access: Access,
  summed: RecordsToSum,
  by: ChangeSplit,
  likeForLike: boolean,
  before = periodBefore(summed.range),
): Promise<Changes<Contribution<EmissionPart>>> {
  const { tenant, loaders } = access;
  return loaders.shared(["contributions", summed, by, likeForLike, before], async () => {
    const changes = await runInSequence(access, async () => {
      // Charges first, so that a caller without points reads nothing.
      chargeForSeries(access, {});
      const read = await listChanges(tenant, summed, by, { before, likeForLike, limit: MAX_PAGE_SIZE });
      // Splitting by the three scopes costs nothing more.
      if (by !== "scope") chargeForSeries(access, { compared: read.count });
      return read;
    });
    const names = changes.largest.map(({ part }) => part || null);
    const parts = await nameParts(tenant, names, by);
    const largest = changes.largest.flatMap((one, index) => {
      const part = parts[index];
      return part ? [withShare(changes, { ...one, part })] : [];
    });
    return { ...changes, largest };
  });
}

/** Looks up the names of parts, in their order. */
async function nameParts(
  tenant: TenantReader,
  names: readonly (string | null)[],
  by: ChangeSplit,
): Promise<EmissionPart[]> {
  const split = names.map((name) => {
    const [facility, ...category] = (name ?? "").split(":");
    if (by !== "facility_and_category") return { facility: name, category: name };
    return { facility: facility || null, category: category.join(":") || null };
  });
  const isByFacility = by === "facility" || by === "facility_and_category";
  const ids = isByFacility ? split.flatMap(({ facility }) => facility ?? []) : [];
  const rows = ids.length > 0 ? await findFacilities(tenant, [...new Set(ids)]) : [];
  const facilities = new Map(rows.map((row) => [row.id, row]));
  return split.map(({ facility: id, category }) => {
    const ofCategory = category ?? "records without a category";
    if (by === "category") return { series: { category }, label: ofCategory };
    const scope = EMISSION_SCOPES.find((known) => known === id);
    if (scope) return { series: { scope }, label: scope.replace("_", " ") };
    const facility = facilities.get(id ?? "");
    const series = { facility: facility?.code ?? null };
    const label = facility?.name ?? "records without a facility";
    if (by === "facility") return { series, label, facility };
    return { series: { ...series, category }, label: `${label}, ${ofCategory}`, facility };
  });
}
