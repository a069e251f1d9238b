import type { Tier } from "../../domain/tiers.js";
import { AppError } from "../../errors.js";
import { COST_LIMITS } from "./query-limits.js";

/** An operation and its points so far. */
export interface Charged {
  readonly principal: { readonly tier: Tier };
  readonly record: { cost: number | undefined };
}

const SCORED_PER_POINT = 10;
/** Number of series that can be compared with thresholds or the previous period for one point. */
const COMPARED_PER_POINT = 100;

/**
 * Charges an operation for series, whose number is only known once the data is read. Throws BAD_USER_INPUT as soon as
 * the operation costs more than its tier allows.
 */
export function chargeForSeries(
  { principal: { tier }, record }: Charged,
  { scored = 0, compared = 0 }: { readonly scored?: number; readonly compared?: number },
): void {
  record.cost =
    (record.cost ?? 0) + Math.ceil(scored / SCORED_PER_POINT) + Math.ceil(compared / COMPARED_PER_POINT);
  const [estimate, limit] = [record.cost, COST_LIMITS[tier]];
  if (estimate <= limit) return;
  throw new AppError(
    "BAD_USER_INPUT",
    `The operation has at least ${estimate} cost points; at most ${limit} are allowed. Scoring costs a point for every ${SCORED_PER_POINT} emission series; comparing them with thresholds or the previous period costs a point for every ${COMPARED_PER_POINT}. Request fewer periods and thresholds at once, or break emissions down by fewer dimensions.`,
    { extensions: { measure: "cost", limit, estimate } },
  );
}
