import { type ConsoleStateQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { Figure } from "../../parts/charts/figure.js";
import { Day, daysAhead } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Money } from "../../parts/numbers.js";
import { ShownData } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";

const OPERATION = graphql(`
  query ConsoleState {
    compliance { upcomingDeadlines(first: 5) { id framework title dueDate daysRemaining } }
    credits { byType(first: 20) { creditType quantity } }
    market { prices(first: 100) { id creditType exchange price currency unit asOf isOwn isStale } }
  }
`);

type Deadline = NonNullable<ConsoleStateQuery["compliance"]>["upcomingDeadlines"][number];
type Price = NonNullable<ConsoleStateQuery["market"]>["prices"][number];

/** The deadlines ahead, the available credits, and the organization's own prices. A part without rows is left out. */
export function StateOverview() {
  return (
    <ShownData answer={useQuery(OPERATION, {})} as="figure">
      {({ compliance, credits, market }) => (
        <div class="cards">
          <Listed title="Deadlines ahead" rows={compliance?.upcomingDeadlines ?? []} columns={DEADLINES} />
          <Listed
            title="Your latest prices"
            rows={market?.prices.filter(({ isOwn, isStale }) => isOwn && !isStale) ?? []}
            columns={PRICES}
          />
          <Credits credits={credits} />
        </div>
      )}
    </ShownData>
  );
}

interface ListedProps<Row> {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
}

const Listed = <Row extends object>({ title, ...table }: ListedProps<Row>) =>
  table.rows.length > 0 && (
    <section class="card">
      <h2>{title}</h2>
      <Table caption={title} {...table} />
    </section>
  );

const DEADLINES: readonly Column<Deadline>[] = [
  { title: "Due", cell: ({ dueDate }) => <Day on={dueDate} /> },
  { title: "In", isNumber: true, cell: ({ daysRemaining }) => daysAhead(daysRemaining) },
  { title: "Framework", cell: ({ framework }) => nameOf(framework) },
  { title: "What", wraps: true, cell: ({ title }) => title },
];

const PRICES: readonly Column<Price>[] = [
  { title: "Type", cell: ({ creditType }) => creditType },
  {
    title: "Price",
    isNumber: true,
    cell: ({ price, currency, unit }) => <Money value={price} unit={`${currency} per ${unit}`} />,
  },
  { title: "As of", cell: ({ asOf }) => <Day on={asOf} /> },
  { title: "Exchange", wraps: true, cell: ({ exchange }) => exchange },
];

function Credits({ credits }: Pick<ConsoleStateQuery, "credits">) {
  const types = credits?.byType ?? [];
  if (types.length === 0) return null;
  const numbers = {
    title: "Available credits by type",
    unit: "tCO₂e",
    rowsAre: "Type",
    rows: types.map(({ creditType }) => creditType),
    links: types.map(() => "/console/credits"),
    series: [{ name: "Available", values: types.map(({ quantity }) => quantity) }],
  };
  return <Figure kind="bars" numbers={numbers} source={OPERATION.source} />;
}
