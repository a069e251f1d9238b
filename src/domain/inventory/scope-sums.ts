import { addDecimals } from "../decimals.js";
import type { EmissionScope } from "../enums.js";

export type Scope2Method = "location_based" | "market_based";

/** Amount of a scope in tCO2e, as plain decimals. */
export interface ScopeAmount {
  readonly scope: EmissionScope;
  readonly co2eTonnesExact: string;
  /** Null if unknown, and for scopes 1 and 3. */
  readonly marketBasedCo2eTonnesExact: string | null;
}

/**
 * Returns the sum of scopes as a plain decimal, with scope 2 by `method`. Null if a scope is missing or its
 * market-based amount is unknown.
 */
export function sumScopes(
  amounts: readonly ScopeAmount[],
  scopes: readonly EmissionScope[],
  method: Scope2Method | null,
): string | null {
  const parts = scopes.map((wanted) => {
    const amount = amounts.find(({ scope }) => scope === wanted);
    if (amount === undefined) return null;
    const isByMarket = wanted === "scope_2" && method === "market_based";
    return isByMarket ? amount.marketBasedCo2eTonnesExact : amount.co2eTonnesExact;
  });
  return parts.includes(null) ? null : addDecimals(parts as string[]);
}
