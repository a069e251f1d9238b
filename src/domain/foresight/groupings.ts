export const GROUPINGS = ["organization", "facility", "scope", "category", "facility_and_scope"] as const;
/** Grouping of emission records into series. */
export type Grouping = (typeof GROUPINGS)[number];
