/** Modules of the product. Paths below /v1 may start with one. */
export const MODULES = ["emissions", "compliance", "credits", "market", "verification"] as const;
export type Module = (typeof MODULES)[number];
