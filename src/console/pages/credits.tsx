import { useMemo } from "preact/hooks";
import { useQuery } from "../gateway/use-query.js";
import { useAddress } from "../parts/address.js";
import { Figure } from "../parts/figure.js";
import { Exact } from "../parts/numbers.js";
import { Paging } from "../parts/paging.js";
import type { Series } from "../parts/series.js";
import { Page } from "../parts/shell.js";
import { Empty, Shown } from "../parts/states.js";
import { Table } from "../parts/table.js";
import { BatchHistory } from "./credits/batch-history.js";
import { type Batch, type Portfolio, READ_CREDITS } from "./credits/read-credits.js";

/** The credits, by type and vintage and by batch, with what became of each. */
export function Credits() {
  const { query, change } = useAddress();
  const after = query["after"] ?? null;
  const variables = useMemo(() => ({ after }), [after]);
  const answer = useQuery(READ_CREDITS, variables);
  return (
    <Page title="Credits">
      <Shown answer={answer} as="emissions">
        {({ credits }) =>
          credits && (
            <>
              <Vintages credits={credits} variables={variables} />
              <Batches batches={credits.batches.nodes} />
              <Paging
                pageInfo={credits.batches.pageInfo}
                isLater={after !== null}
                onFirst={() => change({ after: "" })}
                onNext={(cursor) => change({ after: cursor })}
              />
            </>
          )
        }
      </Shown>
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

function Batches({ batches }: { batches: readonly Batch[] }) {
  if (batches.length === 0) {
    return (
      <Empty>
        There are no credits yet. A bundle brings them in: <code>gateway load --help</code>
      </Empty>
    );
  }
  return (
    <>
      <h2>Batches</h2>
      <Table
        caption="Batches"
        rows={batches}
        keyOf={({ id }) => id}
        columns={[
          { title: "Reference", cell: ({ reference }) => reference },
          { title: "Type", cell: ({ creditType }) => creditType },
          { title: "Vintage", cell: ({ vintage }) => vintage ?? "–" },
          { title: "Issued", isNumber: true, cell: ({ issued }) => <Exact value={issued} /> },
          { title: "Sold", isNumber: true, cell: ({ sold }) => <Exact value={sold} /> },
          { title: "Retired", isNumber: true, cell: ({ retired }) => <Exact value={retired} /> },
          { title: "Available", isNumber: true, cell: ({ available }) => <Exact value={available} /> },
          { title: "What became of it", wraps: true, cell: (batch) => <BatchHistory batch={batch} /> },
        ]}
      />
    </>
  );
}
