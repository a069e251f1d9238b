/** The parts of the product that paths of the wider API may begin with. */
export const MODULES = ["emissions", "compliance", "credits", "market", "verification"] as const;
export type Module = (typeof MODULES)[number];
