import { useMemo } from "preact/hooks";
import { type ConsolePriceIndexQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { Figure } from "../../parts/charts/figure.js";
import type { Series } from "../../parts/charts/series.js";
import { addDays, todayInUtc } from "../../parts/days.js";
import { nameOf } from "../../parts/names.js";
import { Exact, Money } from "../../parts/numbers.js";
import { Shown } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";

const OPERATION = graphql(`
  query ConsolePriceIndex($from: Date, $to: Date) {
    market {
      series: priceIndex(from: $from, to: $to) { name baseDate baseValue staleAfterDays values { date value } }
      latest: priceIndex(from: $to, to: $to) {
        values {
          instruments { creditType exchange weight excluded price currency asOf ageDays }
        }
      }
    }
  }
`);

type Market = NonNullable<ConsolePriceIndexQuery["market"]>;
type Instrument = Market["latest"]["values"][number]["instruments"][number];

/** As many days as the gateway answers with at once. */
const MOST_DAYS = 400;

/** The global price index over the last 400 days, and what it is made of today. */
export function PriceIndex() {
  const variables = useMemo(() => {
    const to = todayInUtc();
    return { from: addDays(to, 1 - MOST_DAYS), to };
  }, []);
  const answer = useQuery(OPERATION, variables);
  return (
    <Shown answer={answer} as="figure">
      {({ market }) => market && <Index market={market} variables={variables} />}
    </Shown>
  );
}

function Index({ market: { series, latest }, variables }: { market: Market; variables: object }) {
  const { name, baseDate, baseValue, staleAfterDays, values } = series;
  const numbers = useMemo((): Series => {
    const days = values.filter(({ date }) => date >= baseDate);
    return {
      title: name,
      unit: `${baseDate} = ${baseValue}`,
      rowsAre: "Day",
      rows: days.map(({ date }) => date),
      series: [{ name: "Index", values: days.map(({ value }) => value ?? null) }],
    };
  }, [name, baseDate, baseValue, values]);
  const last = values.findLast(({ value }) => value !== null);
  return (
    <>
      <h2>Price index</h2>
      <p>
        {last ? (
          <>
            <strong>
              <Money value={last.value ?? null} />
            </strong>{" "}
            on {last.date}. A day without any price of the last {staleAfterDays} days has no value.
          </>
        ) : (
          <>
            No value yet: no price of the last {staleAfterDays} days was recorded of any of its instruments.
          </>
        )}
      </p>
      <div class="cards">
        <Figure kind="lines" numbers={numbers} source={OPERATION.source} variables={variables} isWide />
      </div>
      <Table
        caption="Instruments of the index today"
        rows={latest.values[0]?.instruments ?? []}
        keyOf={({ creditType, exchange }) => `${creditType} ${exchange}`}
        columns={COLUMNS}
      />
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
