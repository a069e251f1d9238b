import { lazy } from "../parts/lazy.js";
import type { Area } from "../parts/shell/site.js";

const Estimate = lazy(async () => (await import("./cbam/estimate.js")).Estimate);
const Declarations = lazy(async () => (await import("./cbam/declarations.js")).Declarations);

/** The EU's Carbon Border Adjustment Mechanism: the cost of certificates, and the yearly declarations of imports. */
export const CBAM: readonly Area[] = [
  { path: "", name: "CBAM estimate", Area: Estimate },
  { path: "declarations", name: "CBAM declarations", Area: Declarations },
];
