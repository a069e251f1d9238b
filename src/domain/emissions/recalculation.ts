import { addDecimals } from "../decimals.js";
import { EMISSION_SCOPES, type EmissionScope } from "../enums.js";

/**
 * Reasons why a record cannot be recalculated: its amount was entered directly or calculated from a global warming
 * potential, or no factor or several factors of the set match.
 */
export const RECALCULATION_OBSTACLES = ["amount_given", "by_gas", "no_factor", "several_factors"] as const;
export type RecalculationObstacle = (typeof RECALCULATION_OBSTACLES)[number];

/** An amount before and after a recalculation: plain decimals in tonnes. */
export interface AmountChange {
  readonly before: string;
  readonly after: string;
}

/** Sums changes, in total and by scope. */
export function sumChanges(changes: readonly (AmountChange & { readonly scope: EmissionScope })[]) {
  const sum = (some: readonly AmountChange[]): AmountChange => ({
    before: addDecimals(some.map(({ before }) => before)),
    after: addDecimals(some.map(({ after }) => after)),
  });
  const byScope = EMISSION_SCOPES.map((scope) => ({
    scope,
    amount: sum(changes.filter((change) => change.scope === scope)),
  }));
  return { total: sum(changes), byScope };
}
