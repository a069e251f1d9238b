import { graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { Insights } from "../../parts/insights/insights.js";
import { Shown } from "../../parts/states.js";

const OPERATION = graphql(`
  query ConsoleComplianceInsights { compliance { insights { ...ConsoleInsight } } }
`);

/** What stands out in compliance. */
export function ComplianceInsights() {
  return (
    <Shown answer={useQuery(OPERATION, {})} as="short">
      {({ compliance }) => compliance && <Insights insights={compliance.insights} />}
    </Shown>
  );
}
