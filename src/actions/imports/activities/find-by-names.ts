import type { FactorRow } from "../../../data/factors/factors.js";
import type { TenantReader } from "../../../data/tenant/reader.js";
import { AppError } from "../../../errors.js";
import { calculateAll } from "./calculate-all.js";
import type { ActivityGroup } from "./groups.js";

/**
 * Finds the factors of activities in their regions, matching names as a selector does. Leaves out activities that it
 * cannot find.
 */
export async function findByNames(
  tenant: TenantReader,
  groups: readonly ActivityGroup[],
): Promise<ReadonlyMap<ActivityGroup, FactorRow>> {
  const found = new Map<ActivityGroup, FactorRow>();
  const inRegions = groups.filter(({ region }) => region !== null);
  const calculated = await calculateAll(tenant, inRegions.map(selectorOf));
  for (const [index, calculation] of calculated.entries()) {
    const group = inRegions[index];
    if (!group || calculation instanceof AppError || !calculation.factor) continue;
    found.set(group, calculation.factor);
  }
  return found;
}

const selectorOf = ({ naming, unit, region, lastYear }: ActivityGroup) => ({
  amount: "1",
  unit: unit.name,
  selector: {
    activity: naming.activity,
    region: region ?? "",
    year: lastYear,
    ...(naming.detail !== "" && { detail: naming.detail }),
    gas: naming.gas || null,
    allowGlobal: true,
  },
});
