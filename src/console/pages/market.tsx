import { useState } from "preact/hooks";
import { type ConsoleMarketQuery, graphql } from "../../generated/console.js";
import { useQuery } from "../gateway/use-query.js";
import { useScope } from "../gateway/viewer.js";
import { useAddress } from "../parts/address.js";
import { Figure } from "../parts/charts/figure.js";
import type { Series } from "../parts/charts/series.js";
import { DialogButton, Dialogs } from "../parts/forms/dialogs.js";
import { ReadInsights } from "../parts/insights/insights.js";
import { nameOf } from "../parts/names.js";
import { Money, percent } from "../parts/numbers.js";
import { Paging } from "../parts/paging.js";
import { Page } from "../parts/shell/shell.js";
import { Source } from "../parts/source.js";
import { Empty, Shown } from "../parts/states.js";
import { PriceIndex } from "./market/price-index.js";
import { RecordPrice } from "./market/record-price.js";

const OPERATION = graphql(`
  query ConsoleMarket($after: String) {
    market {
      isLiveFeedConnected
      instruments(first: 12, after: $after) {
        nodes {
          id
          creditType
          exchange
          change { percent }
          latestPrice { price currency unit contract priceType asOf ageDays isStale isOwn source sourceUrl }
          history(first: 60) { price currency asOf }
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

const READ_INSIGHTS = graphql(`
  query ConsoleMarketInsights { market { insights { ...ConsoleInsight } } }
`);

type Instrument = NonNullable<ConsoleMarketQuery["market"]>["instruments"]["nodes"][number];

/**
 * The price index, and each credit type's price on each exchange: the latest with its source, and its history as a
 * line.
 */
export function Market() {
  const { query } = useAddress();
  const variables = { after: query["after"] ?? null };
  const answer = useQuery(OPERATION, variables);
  const mayWrite = useScope("write:market");
  /** Counts closed dialogs, because a recorded price may also change the index. */
  const [closings, setClosings] = useState(0);
  const reload = () => {
    setClosings(closings + 1);
    answer.reload();
  };
  return (
    <Page title="Market">
      <Dialogs onClosed={reload}>
        <ReadInsights operation={READ_INSIGHTS} find={({ market }) => market?.insights} />
        <PriceIndex key={closings} />
        <div class="row">
          <h2>Prices</h2>
          {mayWrite && <DialogButton label="Record a price" opens={<RecordPrice />} />}
        </div>
        <Shown answer={answer} as="emissions" of="market">
          {(market) => (
            <>
              <p class="quiet">
                {market.isLiveFeedConnected
                  ? "An exchange reported within the last 5 minutes."
                  : "No exchange is connected: these are recorded prices, each with its source."}
              </p>
              {market.instruments.nodes.length === 0 && (
                <Empty>
                  There are no prices yet.{" "}
                  {mayWrite ? "Record one, or load a bundle: " : "A bundle brings them in: "}
                  <code>gateway load --help</code>
                </Empty>
              )}
              <div class="cards">
                {market.instruments.nodes.map((instrument) => (
                  <Price key={instrument.id} instrument={instrument} variables={variables} />
                ))}
              </div>
              <Paging pageInfo={market.instruments.pageInfo} />
            </>
          )}
        </Shown>
      </Dialogs>
    </Page>
  );
}

function Price({ instrument, variables }: { instrument: Instrument; variables: object }) {
  const { creditType, exchange, latestPrice, change, history } = instrument;
  const { price, currency, unit, contract, priceType, asOf, source, sourceUrl } = latestPrice;
  return (
    <section class="card" aria-label={`${creditType}, ${exchange}`}>
      <h2>
        {creditType}, {exchange}
      </h2>
      <p class="total">
        <Money value={price} />{" "}
        <small>
          {currency} per {unit === "tCO2e" ? "tCO₂e" : unit}
        </small>
      </p>
      <p>
        {nameOf(priceType)}
        {contract && `, ${contract}`}, {asOf ?? "without a date"}
        {change?.percent != null && `, ${percent(change.percent)} since the price before`}
      </p>
      <Age price={latestPrice} />
      {history.length > 1 && (
        <Figure kind="lines" numbers={seriesOf(instrument)} source={OPERATION.source} variables={variables} />
      )}
      <p>
        <Source source={source} sourceUrl={sourceUrl} />
      </p>
    </section>
  );
}

/** Age of a price, and its origin if it is the organization's own. */
function Age({ price: { ageDays, isStale, isOwn } }: { price: Instrument["latestPrice"] }) {
  const age = ageDays === 0 ? "Of today" : ageDays === 1 ? "1 day old" : `${ageDays} days old`;
  return (
    <p class="quiet">
      {ageDays === null ? "Of an unknown age" : age}
      {isStale && ", stale"}
      {isOwn && ", your own"}
    </p>
  );
}

/** Returns one line for each currency of the recorded prices, earliest first. */
function seriesOf({ creditType, exchange, latestPrice, history }: Instrument): Series {
  const prices = history.toReversed();
  const currencies = [...new Set(prices.map(({ currency }) => currency))];
  return {
    title: `Prices of ${creditType}, ${exchange}`,
    unit: currencies.length === 1 ? latestPrice.currency : "in the currency named",
    rowsAre: "Day",
    rows: prices.map(({ asOf }) => asOf ?? "–"),
    series: currencies.map((currency) => ({
      name: currency,
      values: prices.map((one) => (one.currency === currency ? one.price : null)),
    })),
  };
}
