import { useQuery } from "../gateway/use-query.js";
import { useAddress } from "../parts/address.js";
import { Dialogs, Said } from "../parts/forms/dialogs.js";
import { ReadInsights } from "../parts/insights/insights.js";
import { Page } from "../parts/shell/shell.js";
import { Shown } from "../parts/states.js";
import { Ccts } from "./compliance/ccts.js";
import { Frameworks } from "./compliance/frameworks.js";
import { READ_COMPLIANCE, READ_INSIGHTS } from "./compliance/read-compliance.js";
import { DeadlineYear } from "./compliance/year.js";

/** The frameworks with their status, the deadlines of a year, and the positions in CCTS. */
export function Compliance() {
  const { query } = useAddress();
  const { after = null } = query;
  const year = readYear(query["year"]);
  const answer = useQuery(READ_COMPLIANCE, {
    year: { from: `${year}-01-01`, to: `${year}-12-31` },
    after,
  });
  return (
    <Page title="Compliance">
      <Dialogs onClosed={answer.reload}>
        <Said />
        <ReadInsights operation={READ_INSIGHTS} find={({ compliance }) => compliance?.insights} />
        <Shown answer={answer} as="emissions" of="compliance">
          {(compliance) => (
            <>
              <Frameworks states={compliance.frameworks} />
              <DeadlineYear deadlines={compliance.deadlines} year={year} />
              <Ccts periods={compliance.cctsPeriods} />
            </>
          )}
        </Shown>
      </Dialogs>
    </Page>
  );
}

/** Reads the year in the address; this year by default. */
const readYear = (text: string | undefined): number =>
  text && /^[12]\d{3}$/.test(text) ? Number(text) : new Date().getFullYear();
