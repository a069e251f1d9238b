import type { InventoryPolicy } from "./inventory.js";

/** First and last years that can have an inventory. */
export const INVENTORY_YEARS = { first: 1990, last: 2100 };

/** Returns the policy of a year; undefined if none applies yet. Expects `policies` in order of `fromYear`. */
export const policyOf = <Policy extends Pick<InventoryPolicy, "fromYear">>(
  policies: readonly Policy[],
  year: number,
): Policy | undefined => policies.findLast(({ fromYear }) => fromYear <= year);
