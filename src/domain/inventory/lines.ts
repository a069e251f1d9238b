import type { EmissionScope } from "../enums.js";

/** Lines of each scope. Scope 3 has the 15 categories of the GHG Protocol Scope 3 Standard (table 5.3), in order. */
export const LINES_OF_SCOPE = {
  scope_1: ["stationary_combustion", "mobile_combustion", "process", "fugitive"],
  scope_2: ["purchased_electricity", "purchased_heat"],
  scope_3: [
    "purchased_goods_and_services",
    "capital_goods",
    "fuel_and_energy",
    "upstream_transport",
    "waste",
    "business_travel",
    "commuting",
    "upstream_leased_assets",
    "downstream_transport",
    "processing_of_sold_products",
    "use_of_sold_products",
    "end_of_life_of_sold_products",
    "downstream_leased_assets",
    "franchises",
    "investments",
  ],
} as const satisfies Record<EmissionScope, readonly string[]>;

/** Line of an inventory: a category of emissions that is reported separately. */
export type InventoryLine = (typeof LINES_OF_SCOPE)[EmissionScope][number];

/** Returns the lines of the scopes, in order. */
export const linesOf = (scopes: readonly EmissionScope[]): readonly InventoryLine[] =>
  scopes.flatMap((scope) => [...LINES_OF_SCOPE[scope]]);

/** Returns true if the line belongs to the scope. */
export const isOfScope = (line: InventoryLine, scope: EmissionScope): boolean =>
  linesOf([scope]).includes(line);
