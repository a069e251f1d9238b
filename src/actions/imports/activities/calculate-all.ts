import type { TenantReader } from "../../../data/tenant/reader.js";
import type { AppError } from "../../../errors.js";
import type { Activity } from "../../factors/activity.js";
import { type Calculation, calculateActivities } from "../../factors/calculate.js";

/** Maximum number of activities that are calculated at once, as in a request. */
const AT_ONCE = 100;

/** Calculates any number of activities, in order. Their selectors have a year. */
export async function calculateAll(
  tenant: TenantReader,
  activities: readonly Activity[],
): Promise<(Calculation | AppError)[]> {
  const calculated: (Calculation | AppError)[] = [];
  for (let start = 0; start < activities.length; start += AT_ONCE) {
    const part = activities.slice(start, start + AT_ONCE);
    calculated.push(...(await calculateActivities(tenant, part, Number.NaN)));
  }
  return calculated;
}
