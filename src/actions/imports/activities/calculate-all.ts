import type { AppError } from "../../../errors.js";
import type { Activity } from "../../factors/activity.js";
import { type Calculation, calculateActivities } from "../../factors/calculate.js";
import type { FactorSource } from "../../factors/selection/factor-finder.js";

/** Maximum number of activities that are calculated at once, as in a request. */
const AT_ONCE = 100;

/** Calculates any number of activities, in order. Their selectors have a year. */
export async function calculateAll(
  factors: FactorSource,
  activities: readonly Activity[],
): Promise<(Calculation | AppError)[]> {
  const calculated: (Calculation | AppError)[] = [];
  for (let start = 0; start < activities.length; start += AT_ONCE) {
    const part = activities.slice(start, start + AT_ONCE);
    calculated.push(...(await calculateActivities(factors, part, Number.NaN)));
  }
  return calculated;
}
