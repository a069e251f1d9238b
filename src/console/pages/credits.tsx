import { useQuery } from "../gateway/use-query.js";
import { useScope } from "../gateway/viewer.js";
import { useAddress } from "../parts/address.js";
import { Figure } from "../parts/charts/figure.js";
import type { Series } from "../parts/charts/series.js";
import { DialogButton, Dialogs } from "../parts/forms/dialogs.js";
import { ReadInsights } from "../parts/insights/insights.js";
import { Exact } from "../parts/numbers.js";
import { Page } from "../parts/shell/shell.js";
import { LoadedField } from "../parts/states.js";
import { Batches } from "./credits/batches.js";
import { IssueCredits } from "./credits/issue-credits.js";
import { type Portfolio, READ_CREDITS, READ_INSIGHTS } from "./credits/read-credits.js";

/** Credits by type and vintage, and the batches with their sales and retirements. */
export function Credits() {
  const { query } = useAddress();
  const variables = { after: query["after"] ?? null };
  const answer = useQuery(READ_CREDITS, variables);
  const mayWrite = useScope("write:credits");
  return (
    <Page title="Credits">
      <Dialogs onClosed={answer.reload}>
        <ReadInsights operation={READ_INSIGHTS} find={({ credits }) => credits?.insights} />
        <LoadedField answer={answer} skeleton="emissions" field="credits">
          {(credits) => (
            <>
              <Vintages credits={credits} variables={variables} />
              <div class="row">
                <h2>Batches</h2>
                {mayWrite && <DialogButton label="Issue credits" opens={<IssueCredits />} />}
              </div>
              <Batches batches={credits.batches} />
            </>
          )}
        </LoadedField>
      </Dialogs>
    </Page>
  );
}

function Vintages({ credits, variables }: { credits: Portfolio; variables: object }) {
  const groups = credits.byTypeAndVintage;
  const numbers: Series = {
    title: "Credits by type and vintage",
    unit: "tCO₂e",
    rowsAre: "Type and vintage",
    rows: groups.map(({ creditType, vintage }) =>
      `${creditType.replaceAll("_", " ")} ${vintage ?? ""}`.trim(),
    ),
    series: [
      { name: "Available", values: groups.map(({ available }) => available) },
      { name: "Sold", values: groups.map(({ sold }) => sold) },
      { name: "Retired", values: groups.map(({ retired }) => retired) },
    ],
  };
  if (groups.length === 0) return null;
  return (
    <>
      <p>
        Of <Exact value={credits.issuedCredits} /> credits issued,{" "}
        <strong>
          <Exact value={credits.availableCredits} />
        </strong>{" "}
        are available, <Exact value={credits.soldCredits} /> were sold and{" "}
        <Exact value={credits.retiredCredits} /> retired.
      </p>
      <div class="cards">
        <Figure kind="columns" numbers={numbers} source={READ_CREDITS.source} variables={variables} />
      </div>
    </>
  );
}
