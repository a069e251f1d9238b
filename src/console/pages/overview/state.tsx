import { type ConsoleStateQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { Figure } from "../../parts/charts/figure.js";
import type { Series } from "../../parts/charts/series.js";
import { daysAhead } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Money } from "../../parts/numbers.js";
import { Empty, ShownData } from "../../parts/states.js";
import { Table } from "../../parts/table.js";

const OPERATION = graphql(`
  query ConsoleState {
    compliance { upcomingDeadlines(first: 8) { id framework title dueDate daysRemaining } }
    credits { byType(first: 20) { creditType quantity } }
    market { prices(first: 12) { id creditType exchange price currency asOf } }
  }
`);

/** Upcoming deadlines, the latest prices, and the available credits by type. */
export function StateOverview() {
  const answer = useQuery(OPERATION, {});
  return (
    <ShownData answer={answer} as="figure">
      {(data) => (
        <div class="cards">
          <section class="card">
            <h2>Deadlines ahead</h2>
            <Deadlines compliance={data.compliance} />
          </section>
          <section class="card">
            <h2>Latest prices</h2>
            <Prices market={data.market} />
          </section>
          <Credits credits={data.credits} />
        </div>
      )}
    </ShownData>
  );
}

function Credits({ credits }: Pick<ConsoleStateQuery, "credits">) {
  const types = credits?.byType ?? [];
  const numbers: Series = {
    title: "Available credits by type",
    unit: "tCO₂e",
    rowsAre: "Type",
    rows: types.map(({ creditType }) => creditType),
    series: [{ name: "Available", values: types.map(({ quantity }) => quantity) }],
  };
  if (numbers.rows.length === 0) {
    return (
      <section class="card wide">
        <h2>{numbers.title}</h2>
        <Empty>No credits are available.</Empty>
      </section>
    );
  }
  return <Figure kind="bars" isWide numbers={numbers} source={OPERATION.source} />;
}

function Deadlines({ compliance }: Pick<ConsoleStateQuery, "compliance">) {
  return (
    <Table
      caption="Deadlines ahead"
      rows={compliance?.upcomingDeadlines ?? []}
      columns={[
        { title: "Due", cell: ({ dueDate }) => dueDate },
        { title: "In", isNumber: true, cell: ({ daysRemaining }) => daysAhead(daysRemaining) },
        { title: "Framework", cell: ({ framework }) => nameOf(framework) },
        { title: "What", wraps: true, cell: ({ title }) => title },
      ]}
    >
      Nothing is due.
    </Table>
  );
}

function Prices({ market }: Pick<ConsoleStateQuery, "market">) {
  return (
    <Table
      caption="Latest prices per tCO₂e"
      rows={market?.prices ?? []}
      columns={[
        { title: "Type", cell: ({ creditType }) => creditType },
        {
          title: "Per tCO₂e",
          isNumber: true,
          cell: ({ price, currency }) => <Money value={price} unit={currency} />,
        },
        { title: "As of", cell: ({ asOf }) => asOf ?? "–" },
        { title: "Exchange", wraps: true, cell: ({ exchange }) => exchange },
      ]}
    >
      No prices are recorded.
    </Table>
  );
}
