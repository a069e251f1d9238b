import "./market/market.css";
import { useState } from "preact/hooks";
import { groupBy } from "../../domain/group-by.js";
import { graphql } from "../../generated/console.js";
import { useQuery } from "../gateway/use-query.js";
import { useScope } from "../gateway/viewer.js";
import { useAddress } from "../parts/address.js";
import { DialogButton, Dialogs } from "../parts/forms/dialogs.js";
import { ReadInsights } from "../parts/insights/insights.js";
import { Paging } from "../parts/paging.js";
import { Page } from "../parts/shell/shell.js";
import { Empty, LoadedField } from "../parts/states.js";
import { type Instrument, Price, READ_MARKET } from "./market/price.js";
import { PriceIndex } from "./market/price-index.js";
import { RecordPrice } from "./market/record-price.js";

const READ_INSIGHTS = graphql(`
  query ConsoleMarketInsights { market { insights { ...ConsoleInsight } } }
`);

/** The price index, and prices of each credit type and exchange by region. */
export function Market() {
  const { query } = useAddress();
  const variables = { after: query["after"] ?? null };
  const answer = useQuery(READ_MARKET, variables);
  const mayWrite = useScope("write:market");
  /** Number of closed dialogs. Each one reloads the index, which a recorded price may change. */
  const [closings, setClosings] = useState(0);
  const reload = () => {
    setClosings(closings + 1);
    return answer.reload();
  };
  return (
    <Page title="Market">
      <Dialogs onClosed={reload}>
        <ReadInsights operation={READ_INSIGHTS} find={({ market }) => market?.insights} />
        <PriceIndex key={closings} />
        <div class="row">
          <h2>Prices by region</h2>
          {mayWrite && <DialogButton label="Record price" opens={<RecordPrice />} />}
        </div>
        <LoadedField answer={answer} skeleton="emissions" field="market">
          {({ isLiveFeedConnected, instruments: { nodes, pageInfo } }) => (
            <>
              <p class="quiet">
                {isLiveFeedConnected
                  ? "Live: an exchange reported in the last 5 minutes."
                  : "Recorded prices with their sources. No exchange is connected. Grey prices are out of date."}
              </p>
              {nodes.length === 0 && <Empty>No prices yet. {mayWrite && "Record the first one."}</Empty>}
              {listRegions(nodes).map(([region, instruments]) => (
                <section key={region} aria-label={region}>
                  <h3>{region}</h3>
                  <div class="cards prices">
                    {instruments.map((instrument) => (
                      <Price key={instrument.id} instrument={instrument} variables={variables} />
                    ))}
                  </div>
                </section>
              ))}
              <Paging pageInfo={pageInfo} />
            </>
          )}
        </LoadedField>
      </Dialogs>
    </Page>
  );
}

/** Groups instruments by region, current prices first. Sorts regions by name, those with only stale prices last. */
function listRegions(instruments: readonly Instrument[]) {
  const currentFirst = instruments.toSorted(
    (one, other) => Number(one.latestPrice.isStale) - Number(other.latestPrice.isStale),
  );
  const regions = groupBy(currentFirst, ({ latestPrice }) => latestPrice.region ?? "Other regions");
  const isStale = (group: readonly Instrument[]) => group.every(({ latestPrice }) => latestPrice.isStale);
  return [...regions].toSorted(
    ([one, first], [other, second]) =>
      Number(isStale(first)) - Number(isStale(second)) || one.localeCompare(other),
  );
}
