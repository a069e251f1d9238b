import { Figure } from "../../../parts/charts/figure.js";
import type { Series } from "../../../parts/charts/series.js";
import { ESTIMATE, type Estimated } from "./read-estimate.js";

/** Costs of the same imports in each year, under the law in force and under the proposal. */
export function CostByYear({ estimated }: { estimated: Estimated }) {
  return (
    <section class="apart" aria-labelledby="path">
      <h2 id="path">The same imports in other years</h2>
      <p class="quiet">
        COM(2026) 616 is the Commission's proposal to phase out free allocation more slowly. It is not law.
        Future prices are not known: later years use the latest published price, or yours.
      </p>
      <div class="cards">
        <Figure
          kind="groups"
          numbers={seriesOf(estimated)}
          source={ESTIMATE.source}
          variables={estimated.variables}
          isWide
        />
      </div>
    </section>
  );
}

function seriesOf({ cbamEstimate, proposal }: Estimated): Series {
  const law = cbamEstimate?.byYear ?? [];
  const isExempt = cbamEstimate?.deMinimis.isExempt ?? false;
  const costOf = ({ total }: (typeof law)[number]) => (isExempt ? total.costEur : total.costToBuyEur);
  return {
    title: `Cost of CBAM certificates by year${isExempt ? ", without the exemption" : ""}`,
    unit: "EUR",
    rowsAre: "Year",
    rows: law.map(({ year }) => String(year)),
    series: [
      { name: "Law in force", values: law.map(costOf) },
      { name: "COM(2026) 616, not law", values: (proposal?.byYear ?? []).map(costOf) },
    ],
  };
}
