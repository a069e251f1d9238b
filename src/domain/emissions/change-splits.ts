export const CHANGE_SPLITS = ["scope", "facility", "category"] as const;
/** What a change of emissions is split by. */
export type ChangeSplit = (typeof CHANGE_SPLITS)[number];
