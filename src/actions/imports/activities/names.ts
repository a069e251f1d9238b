import type { FactorRow } from "../../../data/factors/factors.js";
import type { TenantReader } from "../../../data/tenant/reader.js";
import { AppError } from "../../../errors.js";
import { calculateActivities } from "../../factors/calculate.js";
import type { ActivityGroup } from "./groups.js";

/** Maximum number of activities that are calculated at once, as in a request. */
const AT_ONCE = 100;

/**
 * Finds the factors of activities in their regions, by the same names as a selector. Activities that are not found are
 * left out.
 */
export async function findByNames(
  tenant: TenantReader,
  groups: readonly ActivityGroup[],
): Promise<ReadonlyMap<ActivityGroup, FactorRow>> {
  const found = new Map<ActivityGroup, FactorRow>();
  const inRegions = groups.filter(({ region }) => region !== null);
  for (let start = 0; start < inRegions.length; start += AT_ONCE) {
    const part = inRegions.slice(start, start + AT_ONCE);
    const calculated = await calculateActivities(tenant, part.map(selectorOf), Number.NaN);
    for (const [index, calculation] of calculated.entries()) {
      const group = part[index];
      if (!group || calculation instanceof AppError || !calculation.factor) continue;
      found.set(group, calculation.factor);
    }
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
