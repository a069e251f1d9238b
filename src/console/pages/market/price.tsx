import { type ConsoleMarketQuery, graphql } from "../../../generated/console.js";
import { Figure } from "../../parts/charts/figure.js";
import type { Series } from "../../parts/charts/series.js";
import { creditTypeOf } from "../../parts/credit-types.js";
import { Day, daysAhead, writeDay } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Money, percent } from "../../parts/numbers.js";
import { Source } from "../../parts/source.js";

/** A page of instruments with their prices. */
export const READ_MARKET = graphql(`
  query ConsoleMarket($after: String) {
    market {
      isLiveFeedConnected
      instruments(first: 60, after: $after) {
        nodes {
          id
          creditType
          exchange
          change { percent }
          latestPrice {
            price
            currency
            unit
            region
            contract
            priceType
            asOf
            statutoryUntil
            ageDays
            isStale
            isOwn
            source
            sourceUrl
          }
          history(first: 60) { price currency asOf }
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

/** A credit type on an exchange, with its prices. */
export type Instrument = NonNullable<ConsoleMarketQuery["market"]>["instruments"]["nodes"][number];

interface PriceProps {
  readonly instrument: Instrument;
  /** Variables of the query that read the instrument. */
  readonly variables: object;
}

/** The latest price of an instrument with its source and a chart of its history. A stale price is grey. */
export function Price({ instrument, variables }: PriceProps) {
  const { creditType, exchange, latestPrice, change, history } = instrument;
  const { price, currency, unit, contract, priceType, isStale, isOwn, source, sourceUrl } = latestPrice;
  const details = [`${nameOf(priceType)} price`, contract, isOwn && "your own"].filter(Boolean).join(", ");
  const before = history[1]?.asOf;
  return (
    <section class={isStale ? "card stale" : "card"} aria-label={`${creditTypeOf(creditType)}, ${exchange}`}>
      <h4>{creditTypeOf(creditType)}</h4>
      <p class="quiet">{exchange}</p>
      <p class="total">
        <Money value={price} />{" "}
        <small>
          {currency} per {unit === "tCO2e" ? "tCO₂e" : unit}
        </small>
      </p>
      <p>
        <Age price={latestPrice} />
        {change?.percent != null && before && `. ${percent(change.percent)} since ${writeDay(before)}`}
      </p>
      <p class="quiet">{details}</p>
      {history.length > 1 && (
        <Figure
          kind="lines"
          numbers={seriesOf(instrument)}
          source={READ_MARKET.source}
          variables={variables}
        />
      )}
      <p>
        <Source source={source} sourceUrl={sourceUrl} />
      </p>
    </section>
  );
}

/** Age of a price, or the last day of a statutory rate. */
function Age({ price: { asOf, ageDays, isStale, statutoryUntil } }: { price: Instrument["latestPrice"] }) {
  if (statutoryUntil !== null) {
    return (
      <>
        {isStale ? "Ended on" : "In force until"} <Day on={statutoryUntil} />
      </>
    );
  }
  if (asOf === null || ageDays === null) return <>No date</>;
  return isStale ? (
    <>
      Last price {daysAhead(-ageDays)}, on <Day on={asOf} />
    </>
  ) : (
    <>
      <Day on={asOf} />, {daysAhead(-ageDays)}
    </>
  );
}

/** Returns one line for each currency of the dated prices, earliest first. */
function seriesOf({ creditType, exchange, latestPrice, history }: Instrument): Series {
  const prices = history.filter(({ asOf }) => asOf !== null).toReversed();
  const currencies = [...new Set(prices.map(({ currency }) => currency))];
  return {
    title: `${creditTypeOf(creditType)}, ${exchange}`,
    unit: currencies.length === 1 ? latestPrice.currency : "in each currency",
    rowsAre: "Date",
    rows: prices.map(({ asOf }) => asOf ?? ""),
    series: currencies.map((currency) => ({
      name: currency,
      values: prices.map((one) => (one.currency === currency ? one.price : null)),
    })),
  };
}
