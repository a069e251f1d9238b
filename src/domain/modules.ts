/** Modules of the product. Paths of the wider API may begin with one. */
export const MODULES = ["emissions", "compliance", "credits", "market", "verification"] as const;
export type Module = (typeof MODULES)[number];
