import {
  type ConsolePriceIndexQuery,
  type ConsolePriceIndexTodayQuery,
  graphql,
} from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { Figure } from "../../parts/charts/figure.js";
import { addDays } from "../../parts/days.js";
import { nameOf } from "../../parts/names.js";
import { Exact, Money } from "../../parts/numbers.js";
import { Shown } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";

const TODAY = graphql(`
  query ConsolePriceIndexToday {
    market {
      priceIndex {
        to
        values { instruments { creditType exchange weight excluded price currency asOf ageDays } }
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

/** Maximum number of days in an answer of the gateway. */
const MOST_DAYS = 400;

/** The global price index over the last 400 days, with its constituents today. */
export function PriceIndex() {
  const answer = useQuery(TODAY, {});
  return (
    <>
      <h2>Price index</h2>
      <Shown answer={answer} as="figure" of="market">
        {(market) => (
          <>
            <History to={market.priceIndex.to} />
            <Table
              caption="Instruments of the index today"
              rows={market.priceIndex.values.at(-1)?.instruments ?? []}
              columns={COLUMNS}
            />
          </>
        )}
      </Shown>
    </>
  );
}

/** The index up to a day: the gateway's today, which may differ from the browser's. */
function History({ to }: { to: string }) {
  const variables = { from: addDays(to, 1 - MOST_DAYS), to };
  const answer = useQuery(SERIES, variables);
  return (
    <Shown answer={answer} as="figure" of="market">
      {(market) => <Line series={market.priceIndex} variables={variables} />}
    </Shown>
  );
}

function Line({ series, variables }: { series: Series; variables: object }) {
  const { name, baseDate, baseValue, staleAfterDays, values } = series;
  const days = values.filter(({ date }) => date >= baseDate);
  const numbers = {
    title: name,
    unit: `${baseDate} = ${baseValue}`,
    rowsAre: "Day",
    rows: days.map(({ date }) => date),
    series: [{ name: "Index", values: days.map(({ value }) => value ?? null) }],
  };
  const last = values.findLast(({ value }) => value !== null);
  return (
    <>
      <p>
        {last ? (
          <>
            <strong>
              <Money value={last.value ?? null} />
            </strong>{" "}
            on {last.date}. A day without any price of the last {staleAfterDays} days has no value.
          </>
        ) : (
          `No value yet: no price of the last ${staleAfterDays} days was recorded of any instrument.`
        )}
      </p>
      <div class="cards">
        <Figure kind="lines" numbers={numbers} source={SERIES.source} variables={variables} isWide />
      </div>
    </>
  );
}
const COLUMNS: readonly Column<Instrument>[] = [
  { title: "Type", cell: ({ creditType }) => creditType },
  { title: "Exchange", wraps: true, cell: ({ exchange }) => exchange },
  { title: "Weight", isNumber: true, cell: ({ weight }) => <Exact value={weight} /> },
  { title: "Price", isNumber: true, cell: ({ price }) => <Money value={price} /> },
  { title: "Currency", cell: ({ currency }) => currency ?? "–" },
  { title: "Of", cell: ({ asOf }) => asOf ?? "–" },
  { title: "Age in days", isNumber: true, cell: ({ ageDays }) => <Exact value={ageDays} /> },
  { title: "Counts", cell: ({ excluded }) => (excluded ? `No: ${nameOf(excluded).toLowerCase()}` : "Yes") },
];
