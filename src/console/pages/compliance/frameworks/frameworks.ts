import type { Framework } from "../../../../generated/console.js";

/** Every framework, in the order of the graph. */
export const FRAMEWORKS: readonly Framework[] = [
  "CCTS",
  "BRSR",
  "EU_CBAM",
  "SG_CCS",
  "GHG_PROTOCOL",
  "SBTi",
  "CDP",
  "TCFD",
];
