import { type ConsoleEmissionsQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { Figure } from "../../parts/charts/figure.js";
import { RangeForm, useRange } from "../../parts/charts/range.js";
import type { Series } from "../../parts/charts/series.js";
import { monthOf } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { percent, shorten } from "../../parts/numbers.js";
import { Empty, Shown } from "../../parts/states.js";

const OPERATION = graphql(`
  query ConsoleEmissions($range: DateRangeInput) {
    emissions(range: $range) {
      from
      to
      totalCo2eTonnes
      recordCount
      change { previousFrom previousTo percent }
      trend { from byScope { scope co2eTonnes } }
      byFacility(first: 10) { facility { code name } co2eTonnes }
      byCategory(first: 10) { category co2eTonnes }
    }
  }
`);

type Emissions = NonNullable<ConsoleEmissionsQuery["emissions"]>;

/** The total of the range in the address, with its change and its breakdown. */
export function EmissionsOverview() {
  const range = useRange();
  const variables = { range };
  const answer = useQuery(OPERATION, variables);
  return (
    <>
      <RangeForm shown={range ?? answer.data?.emissions ?? null} />
      <Shown answer={answer} as="emissions" of="emissions">
        {(emissions) => <Charts emissions={emissions} variables={variables} />}
      </Shown>
    </>
  );
}

function Charts({ emissions, variables }: { emissions: Emissions; variables: object }) {
  const figures = seriesOf(emissions);
  if (emissions.recordCount === 0) {
    return (
      <Empty>
        No emissions are recorded from {emissions.from} to {emissions.to}. Choose other days, or import
        records: <code>gateway import --help</code>
      </Empty>
    );
  }
  const source = { source: OPERATION.source, variables };
  return (
    <div class="cards">
      <Total emissions={emissions} />
      <Figure kind="columns" isWide numbers={figures.months} {...source} />
      <Figure kind="bars" numbers={figures.facilities} {...source} />
      <Figure kind="bars" numbers={figures.categories} {...source} />
    </div>
  );
}

function Total({ emissions: { totalCo2eTonnes, from, to, recordCount, change } }: { emissions: Emissions }) {
  return (
    <section class="card wide" aria-label="Total emissions">
      <p class="total">
        <data value={String(totalCo2eTonnes)}>{shorten(totalCo2eTonnes)}</data> <small>tCO₂e</small>
      </p>
      <p>
        {from} to {to}, {shorten(recordCount)} records.{" "}
        {change.percent === null ? (
          "There is nothing recorded before to compare with."
        ) : (
          <>
            <strong>
              {change.percent > 0 ? "▲" : "▼"} {percent(change.percent)}
            </strong>{" "}
            from {change.previousFrom} to {change.previousTo}.
          </>
        )}
      </p>
    </section>
  );
}

function seriesOf({ trend, byFacility, byCategory }: Emissions) {
  const scopes = trend[0]?.byScope.map(({ scope }) => scope) ?? [];
  const emitted = { unit: "tCO₂e" };
  return {
    months: {
      ...emitted,
      title: "Emissions by month and scope",
      rowsAre: "Month",
      rows: trend.map(({ from }) => monthOf(from)),
      series: scopes.map((scope, index) => ({
        name: nameOf(scope),
        values: trend.map(({ byScope }) => byScope[index]?.co2eTonnes ?? null),
      })),
    },
    facilities: {
      ...emitted,
      title: "Largest facilities",
      rowsAre: "Facility",
      rows: byFacility.map(({ facility }) => facility?.name ?? "Without a facility"),
      series: [{ name: "Emissions", values: byFacility.map(({ co2eTonnes }) => co2eTonnes) }],
    },
    categories: {
      ...emitted,
      title: "Largest categories",
      rowsAre: "Category",
      rows: byCategory.map(({ category }) => (category === null ? "Without a category" : nameOf(category))),
      series: [{ name: "Emissions", values: byCategory.map(({ co2eTonnes }) => co2eTonnes) }],
    },
  } satisfies Record<string, Series>;
}
