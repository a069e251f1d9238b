import type { Area } from "../parts/shell/site.js";
import { Declarations } from "./cbam/declarations.js";
import { Estimate } from "./cbam/estimate.js";

/** The EU's Carbon Border Adjustment Mechanism: the cost of certificates, and the yearly declarations of imports. */
export const CBAM: readonly Area[] = [
  { path: "", name: "Estimate", title: "CBAM estimate", Area: Estimate },
  { path: "declarations", name: "Declarations", title: "CBAM declarations", Area: Declarations },
];
