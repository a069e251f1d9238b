import {
  type ConsolePriceIndexQuery,
  type ConsolePriceIndexTodayQuery,
  graphql,
  type PriceIndexExclusion,
} from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { Figure } from "../../parts/charts/figure.js";
import { creditTypeOf } from "../../parts/credit-types.js";
import { addDays } from "../../parts/days.js";
import { Day, daysAhead, writeDay } from "../../parts/moment.js";
import { Exact, Money } from "../../parts/numbers.js";
import { LoadedField } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";

const TODAY = graphql(`
  query ConsolePriceIndexToday {
    market {
      priceIndex {
        to
        values { value instruments { creditType exchange weight excluded price currency asOf ageDays } }
      }
    }
  }
`);

const SERIES = graphql(`
  query ConsolePriceIndex($from: Date, $to: Date) {
    market {
      priceIndex(from: $from, to: $to) { name baseDate baseValue staleAfterDays values { date value } }
    }
  }
`);

type Series = NonNullable<ConsolePriceIndexQuery["market"]>["priceIndex"];
type Today = NonNullable<ConsolePriceIndexTodayQuery["market"]>["priceIndex"];
type Instrument = Today["values"][number]["instruments"][number];

/** Maximum number of days that the gateway returns. */
const MAX_DAYS = 400;

/** The global price index over the last 400 days, with its constituents today. */
export function PriceIndex() {
  const answer = useQuery(TODAY, {});
  return (
    <>
      <h2>Price index</h2>
      <LoadedField answer={answer} skeleton="figure" field="market">
        {({ priceIndex: { to, values } }) => (
          <>
            <History to={to} />
            <Instruments day={values.at(-1)} />
          </>
        )}
      </LoadedField>
    </>
  );
}

/** Today's instruments of the index, collapsed if the index has no value. */
function Instruments({ day }: { day: Today["values"][number] | undefined }) {
  const table = (
    <Table caption="Today's instruments of the index" rows={day?.instruments ?? []} columns={COLUMNS} />
  );
  if (day?.value != null) return table;
  return (
    <details>
      <summary>Instruments of the index</summary>
      {table}
    </details>
  );
}

/** The index up to the gateway's current day, which may differ from the browser's. */
function History({ to }: { to: string }) {
  const variables = { from: addDays(to, 1 - MAX_DAYS), to };
  const answer = useQuery(SERIES, variables);
  return (
    <LoadedField answer={answer} skeleton="figure" field="market">
      {(market) => <Line series={market.priceIndex} variables={variables} />}
    </LoadedField>
  );
}

function Line({ series, variables }: { series: Series; variables: { readonly to: string } }) {
  const { name, baseDate, baseValue, staleAfterDays, values } = series;
  const days = values.filter(({ date }) => date >= baseDate);
  const numbers = {
    title: name,
    unit: `${writeDay(baseDate)} = ${baseValue}`,
    rowsAre: "Date",
    rows: days.map(({ date }) => date),
    series: [{ name: "Index", values: days.map(({ value }) => value ?? null) }],
  };
  const last = values.findLast(({ value }) => value !== null);
  const isCurrent = last?.date === variables.to;
  return (
    <>
      {last && (
        <p class={isCurrent ? "total" : "total quiet"}>
          <Money value={last.value ?? null} />{" "}
          <small>
            on <Day on={last.date} />
          </small>
        </p>
      )}
      {!isCurrent && (
        <p>
          The index has no value today: none of its instruments has a price from the last {staleAfterDays}{" "}
          days.
        </p>
      )}
      {last && (
        <div class="cards">
          <Figure kind="lines" numbers={numbers} source={SERIES.source} variables={variables} isWide />
        </div>
      )}
    </>
  );
}

const EXCLUSIONS: Readonly<Record<PriceIndexExclusion, string>> = {
  NO_PRICE: "No price yet",
  STALE: "Price is out of date",
  NEW: "Included from tomorrow",
  NOT_COMPARABLE: "Not comparable with the day before",
};

const COLUMNS: readonly Column<Instrument>[] = [
  { title: "Type", wraps: true, cell: ({ creditType }) => creditTypeOf(creditType) },
  { title: "Exchange", wraps: true, cell: ({ exchange }) => exchange },
  { title: "Weight", isNumber: true, cell: ({ weight }) => <Exact value={weight} /> },
  {
    title: "Price",
    isNumber: true,
    cell: ({ price, currency }) => <Money value={price} unit={currency ?? ""} />,
  },
  {
    title: "Price date",
    cell: ({ asOf, ageDays }) => (
      <>
        <Day on={asOf} /> {ageDays !== null && <span class="quiet">{daysAhead(-ageDays)}</span>}
      </>
    ),
  },
  {
    title: "Included",
    wraps: true,
    cell: ({ excluded }) => (excluded ? <span class="stale">{EXCLUSIONS[excluded]}</span> : "Yes"),
  },
];
