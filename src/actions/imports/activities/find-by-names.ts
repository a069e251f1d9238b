import type { FactorRow } from "../../../data/factors/factors.js";
import { AppError } from "../../../errors.js";
import type { FactorSource } from "../../factors/selection/factor-finder.js";
import { calculateAll } from "./calculate-all.js";
import type { ActivityGroup } from "./groups.js";

/**
 * Finds the factors of activities in their regions, matching names as a selector does. Leaves out activities that it
 * cannot find.
 */
export async function findByNames(
  factors: FactorSource,
  groups: readonly ActivityGroup[],
): Promise<ReadonlyMap<ActivityGroup, FactorRow>> {
  const found = new Map<ActivityGroup, FactorRow>();
  const inRegions = groups.filter(({ region }) => region !== null);
  const calculated = await calculateAll(factors, inRegions.map(selectorOf));
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
