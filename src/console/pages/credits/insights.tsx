import { graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { Insights } from "../../parts/insights/insights.js";
import { Shown } from "../../parts/states.js";

const OPERATION = graphql(`
  query ConsoleCreditInsights { credits { insights { ...ConsoleInsight } } }
`);

/** What stands out in the credits. */
export function CreditInsights() {
  return (
    <Shown answer={useQuery(OPERATION, {})} as="short">
      {({ credits }) => credits && <Insights insights={credits.insights} />}
    </Shown>
  );
}
