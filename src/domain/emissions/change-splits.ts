export const CHANGE_SPLITS = ["scope", "facility", "category", "facility_and_category"] as const;
/** Dimension by which a change in emissions is split. */
export type ChangeSplit = (typeof CHANGE_SPLITS)[number];
