import { useMemo } from "preact/hooks";
import { useQuery } from "../gateway/use-query.js";
import { useScope } from "../gateway/viewer.js";
import { useAddress } from "../parts/address.js";
import { Figure } from "../parts/charts/figure.js";
import type { Series } from "../parts/charts/series.js";
import { useDialog } from "../parts/forms/use-dialog.js";
import { Exact } from "../parts/numbers.js";
import { Paging } from "../parts/paging.js";
import { Page } from "../parts/shell/shell.js";
import { Shown } from "../parts/states.js";
import { type BatchAction, Batches } from "./credits/batches.js";
import { CreditInsights } from "./credits/insights.js";
import { IssueCredits } from "./credits/issue-credits.js";
import { type Portfolio, READ_CREDITS } from "./credits/read-credits.js";
import { RetireCredits } from "./credits/retire-credits.js";
import { SellCredits } from "./credits/sell-credits.js";

type Open = { readonly what: "issue" } | BatchAction;

/** The credits, by type and vintage and by batch, with what became of each. */
export function Credits() {
  const { query } = useAddress();
  const after = query["after"] ?? null;
  const variables = useMemo(() => ({ after }), [after]);
  const answer = useQuery(READ_CREDITS, variables);
  const mayWrite = useScope("write:credits");
  const { open, setOpen, close } = useDialog<Open>(answer.reload);
  return (
    <Page title="Credits">
      <CreditInsights />
      <Shown answer={answer} as="emissions">
        {({ credits }) =>
          credits && (
            <>
              <Vintages credits={credits} variables={variables} />
              <div class="row">
                <h2>Batches</h2>
                {mayWrite && (
                  <button type="button" class="outline" onClick={() => setOpen({ what: "issue" })}>
                    Issue credits
                  </button>
                )}
              </div>
              <Batches batches={credits.batches.nodes} onOpen={setOpen} />
              <Paging pageInfo={credits.batches.pageInfo} />
            </>
          )
        }
      </Shown>
      {open?.what === "issue" && <IssueCredits onClose={close} />}
      {open?.what === "sell" && <SellCredits batch={open.batch} onClose={close} />}
      {open?.what === "retire" && <RetireCredits batch={open.batch} onClose={close} />}
    </Page>
  );
}

function Vintages({ credits, variables }: { credits: Portfolio; variables: object }) {
  const groups = credits.byTypeAndVintage;
  const numbers = useMemo(
    (): Series => ({
      title: "Credits by type and vintage",
      unit: "tCO₂e",
      rowsAre: "Type and vintage",
      rows: groups.map(({ creditType, vintage }) => `${creditType} ${vintage ?? ""}`.trim()),
      series: [
        { name: "Available", values: groups.map(({ available }) => available) },
        { name: "Sold", values: groups.map(({ sold }) => sold) },
        { name: "Retired", values: groups.map(({ retired }) => retired) },
      ],
    }),
    [groups],
  );
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
