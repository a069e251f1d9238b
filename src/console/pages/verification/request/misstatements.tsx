import { Exact } from "../../../parts/numbers.js";
import type { Request } from "../read-requests.js";
import { sumMisstatements } from "./materiality.js";

/** What the findings about the latest snapshot add up to, beside the total and the materiality. */
export function Misstatements({ request }: { request: Request }) {
  const { tonnes, percent, isMaterial } = sumMisstatements(request);
  const { snapshot, materialityPct } = request;
  return (
    <p class={isMaterial ? "complaint" : undefined}>
      Misstatements: <Exact value={tonnes} /> t of <Exact value={snapshot?.totalCo2eTonnes ?? 0} /> t
      {percent !== null && (
        <>
          , <Exact value={percent} />
          {"\u00a0%"}
        </>
      )}
      .{" "}
      {isMaterial
        ? `The materiality of ${materialityPct}\u00a0% is reached: an unmodified opinion is not possible.`
        : `The materiality is ${materialityPct}\u00a0%.`}
    </p>
  );
}
