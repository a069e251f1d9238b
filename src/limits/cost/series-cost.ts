import type { Tier } from "../../domain/tiers.js";
import { AppError } from "../../errors.js";
import { COST_LIMITS } from "./query-limits.js";

/** An operation and its points so far. */
export interface Charged {
  readonly principal: { readonly tier: Tier };
  readonly record: { cost: number | undefined };
}

/** Number of series scored for one point. */
const SCORED = 10;
/** Number of series compared with thresholds or the previous period for one point. */
const COMPARED = 100;

/**
 * Charges an operation for series, whose number is only known once the data is read. Throws BAD_USER_INPUT as soon as the
 * operation costs more than its tier allows.
 */
export function chargeForSeries(
  { principal: { tier }, record }: Charged,
  { scored = 0, compared = 0 }: { readonly scored?: number; readonly compared?: number },
): void {
  record.cost = (record.cost ?? 0) + Math.ceil(scored / SCORED) + Math.ceil(compared / COMPARED);
  const [estimate, limit] = [record.cost, COST_LIMITS[tier]];
  if (estimate <= limit) return;
  throw new AppError(
    "BAD_USER_INPUT",
    `The operation has at least ${estimate} points of cost; at most ${limit} are allowed. A point is charged for every ${SCORED} series of emissions that are scored, and for every ${COMPARED} that are compared with thresholds or the previous period. Request fewer periods and thresholds at once, or break emissions down by fewer dimensions.`,
    { extensions: { measure: "cost", limit, estimate } },
  );
}
