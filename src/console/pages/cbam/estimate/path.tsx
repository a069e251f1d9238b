import { Figure } from "../../../parts/charts/figure.js";
import type { Series } from "../../../parts/charts/series.js";
import { ESTIMATE, type Estimated } from "./read-estimate.js";

/** Costs of the same imports in each year, under the law in force and under the proposal. */
export function Path({ estimated }: { estimated: Estimated }) {
  return (
    <section class="apart" aria-labelledby="path">
      <h2 id="path">The same imports in other years</h2>
      <p class="quiet">
        COM(2026) 616 is a proposal of the Commission for a slower phase-out of free allocation. It is not
        law. Prices after the last published quarter are not known: the latest one counts, or your own.
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
  return {
    title: "Cost of CBAM certificates by year",
    unit: "EUR",
    rowsAre: "Year",
    rows: law.map(({ year }) => String(year)),
    series: [
      { name: "Law in force", values: law.map(({ total }) => total.costEur) },
      { name: "COM(2026) 616, not law", values: (proposal?.byYear ?? []).map(({ total }) => total.costEur) },
    ],
  };
}
