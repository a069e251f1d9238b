import { graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useRange } from "../../parts/charts/range.js";
import { type Insight, Insights } from "../../parts/insights/insights.js";
import { LoadedField } from "../../parts/states.js";

const OPERATION = graphql(`
  query ConsoleEmissionInsights($range: DateRangeInput, $from: Date, $to: Date) {
    emissions(range: $range) {
      change { previousFrom previousTo }
      insights(from: $from, to: $to) { ...ConsoleInsight }
    }
  }
`);

/** Insights about the emissions of the range in the address. */
export function EmissionInsights() {
  const range = useRange();
  const variables = { range, from: range?.from ?? null, to: range?.to ?? null };
  // With a range, this insight counts only the unusual months in it, unlike the list that it links to.
  const isShown = ({ kind }: Insight) => range === null || kind !== "NEW_ANOMALIES";
  return (
    <LoadedField answer={useQuery(OPERATION, variables)} skeleton="short" field="emissions">
      {(emissions) => (
        <Insights
          insights={emissions.insights.filter(isShown)}
          previous={{ from: emissions.change.previousFrom, to: emissions.change.previousTo }}
        />
      )}
    </LoadedField>
  );
}
