import { type Area, Areas } from "../parts/shell/areas.js";
import { Declarations } from "./cbam/declarations.js";
import { Estimate } from "./cbam/estimate.js";

const AREAS: readonly Area[] = [
  { path: "", name: "Estimate", title: "CBAM estimate", Area: Estimate },
  { path: "declarations", name: "Declarations", title: "CBAM declarations", Area: Declarations },
];

/** The EU's Carbon Border Adjustment Mechanism: the cost of certificates, and the yearly declarations of imports. */
export const Cbam = () => <Areas label="CBAM" areas={AREAS} />;
