import { graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { Insights } from "../../parts/insights/insights.js";
import { Shown } from "../../parts/states.js";

const OPERATION = graphql(`
  query ConsoleMarketInsights { market { insights { ...ConsoleInsight } } }
`);

/** What stands out in the market. */
export function MarketInsights() {
  return (
    <Shown answer={useQuery(OPERATION, {})} as="short">
      {({ market }) => market && <Insights insights={market.insights} />}
    </Shown>
  );
}
