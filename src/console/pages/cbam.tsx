import { useRoute } from "preact-iso";
import { AreaLinks } from "../parts/shell/areas.js";
import { Page } from "../parts/shell/shell.js";
import { Declarations } from "./cbam/declarations.js";
import { Estimate } from "./cbam/estimate.js";

const AREAS = [
  { path: "", name: "Estimate", title: "CBAM estimate", Area: Estimate },
  { path: "declarations", name: "Declarations", title: "CBAM declarations", Area: Declarations },
] as const;

/** The EU's Carbon Border Adjustment Mechanism: what certificates cost, and the declarations of years of imports. */
export function Cbam() {
  const { params } = useRoute();
  const { path: chosen, title, Area } = AREAS.find(({ path }) => path === params["area"]) ?? AREAS[0];
  return (
    <>
      <AreaLinks label="CBAM" base="/console/cbam" areas={AREAS} chosen={chosen} />
      <Page title={title}>
        <Area />
      </Page>
    </>
  );
}
