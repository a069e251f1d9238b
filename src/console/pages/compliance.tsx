import { useQuery } from "../gateway/use-query.js";
import { useAddress } from "../parts/address.js";
import { Dialogs } from "../parts/forms/dialogs.js";
import { ReadInsights } from "../parts/insights/insights.js";
import { Page } from "../parts/shell/shell.js";
import { LoadedField } from "../parts/states.js";
import { Agenda } from "./compliance/agenda.js";
import { Ccts } from "./compliance/ccts.js";
import { Frameworks } from "./compliance/frameworks.js";
import { News } from "./compliance/news.js";
import { READ_COMPLIANCE, READ_INSIGHTS } from "./compliance/read-compliance.js";

/** The agenda, news, the status of each framework, and the CCTS periods. */
export function Compliance() {
  const { query } = useAddress();
  const { after = null } = query;
  const year = readYear(query["year"]);
  const filter = year
    ? { dueDate: { from: `${year}-01-01`, to: `${year}-12-31` } }
    : { states: ["PENDING" as const] };
  const answer = useQuery(READ_COMPLIANCE, { filter, after });
  return (
    <Page title="Compliance">
      <Dialogs onClosed={answer.reload}>
        <ReadInsights operation={READ_INSIGHTS} find={({ compliance }) => compliance?.insights} />
        <LoadedField answer={answer} skeleton="emissions" field="compliance">
          {(compliance) => (
            <>
              <Agenda deadlines={compliance.deadlines} year={year} />
              <Frameworks states={compliance.frameworks} />
              <News deadlines={compliance.deadlines} year={year} />
              <Ccts periods={compliance.cctsPeriods} />
            </>
          )}
        </LoadedField>
      </Dialogs>
    </Page>
  );
}

/** Returns the year in the address; null without a valid one: the page then lists pending deadlines. */
const readYear = (text = ""): number | null => (/^[12]\d{3}$/.test(text) ? Number(text) : null);
