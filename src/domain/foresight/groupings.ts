export const GROUPINGS = ["organization", "facility", "scope", "category", "facility_and_scope"] as const;
/** How emissions are split into series. */
export type Grouping = (typeof GROUPINGS)[number];
