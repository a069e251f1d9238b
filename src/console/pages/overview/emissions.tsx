import { useQuery } from "../../gateway/use-query.js";
import { Figure } from "../../parts/charts/figure.js";
import { useRange } from "../../parts/charts/range.js";
import type { Series } from "../../parts/charts/series.js";
import { type Days, daysOfMonths, todayInUtc } from "../../parts/days.js";
import { lazy } from "../../parts/lazy.js";
import { monthOf, writeDay } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { linkToRecords } from "../../parts/record-links.js";
import { Empty, Loaded } from "../../parts/states.js";
import { useChange, WhatChanged } from "./change.js";
import { ChoosePeriod } from "./choose-period.js";
import { writeDays } from "./periods.js";
import { type Emissions, READ_EMISSIONS } from "./read-emissions.js";
import { Sample } from "./sample.js";
import { Tiles } from "./tiles.js";

const FirstRun = lazy<{ onChanged: () => void }>(async () => (await import("./first-run.js")).FirstRun);
const EmissionInsights = lazy(async () => (await import("./insights.js")).EmissionInsights);
const CreditsAndPrices = lazy(async () => (await import("./credits-and-prices.js")).CreditsAndPrices);
const ForecastOverview = lazy(async () => (await import("./forecast.js")).ForecastOverview);

/** Emissions of the range in the address, or the first steps if the organization has no records. */
export function EmissionsOverview() {
  const range = useRange();
  const variables = { range };
  const answer = useQuery(READ_EMISSIONS, variables);
  return (
    <Loaded answer={answer} skeleton="emissions">
      {({ emissions, emissionRecords, imports }) => {
        if (!emissions) return null;
        if (emissionRecords?.nodes.length === 0) return <FirstRun onChanged={answer.reload} />;
        const [sample] = imports?.nodes ?? [];
        return (
          <>
            {sample?.undoneAt === null && <Sample id={sample.id} onChanged={answer.reload} />}
            <ChoosePeriod chosen={range} shown={emissions} />
            <RangeEmissions emissions={emissions} variables={variables} />
            <EmissionInsights />
            <CreditsAndPrices />
            <ForecastOverview />
          </>
        );
      }}
    </Loaded>
  );
}

function RangeEmissions({ emissions, variables }: { emissions: Emissions; variables: object }) {
  const change = useChange(emissions);
  const source = { source: READ_EMISSIONS.source, variables };
  const { months, facilities, categories } = seriesOf(emissions);
  return (
    <>
      <Tiles emissions={emissions} change={change} />
      {emissions.recordCount === 0 ? (
        <Empty>
          No emissions recorded for {writeDays(emissions)}. Choose another period, or see the{" "}
          <a href="/console/records">records of the last 12 months</a>.
        </Empty>
      ) : (
        <>
          <div class="cards">
            <Figure kind="columns" isWide numbers={months} {...source} />
          </div>
          <WhatChanged change={change} />
          <div class="cards">
            <Figure kind="bars" numbers={facilities} {...source} />
            <Figure kind="bars" numbers={categories} {...source} />
          </div>
        </>
      )}
    </>
  );
}

/** Returns the label of a month. A partial month has its first or last day, or both, instead, or "so far". */
function nameMonth({ from, to }: Days, today: string): string {
  const month = daysOfMonths(from.slice(0, 7));
  if (from <= today && today <= to) return `${monthOf(from)} so far`;
  if (from > month.from) return to < month.to ? writeDays({ from, to }) : `From ${writeDay(from)}`;
  return to < month.to ? `Until ${writeDay(to)}` : monthOf(from);
}

function seriesOf({ from, to, trend, byFacility, byCategory }: Emissions) {
  const days = { from, to };
  const today = todayInUtc();
  const scopes = trend[0]?.byScope.map(({ scope }) => scope) ?? [];
  const emitted = { unit: "tCO₂e" };
  return {
    months: {
      ...emitted,
      title: "Emissions by month and scope",
      rowsAre: "Month",
      rows: trend.map((period) => nameMonth(period, today)),
      links: trend.map((period) => linkToRecords(period)),
      unfinished: trend.map((period) => nameMonth(period, today) !== monthOf(period.from)),
      series: scopes.map((scope, index) => ({
        name: nameOf(scope),
        query: { scope },
        values: trend.map(({ byScope }) => byScope[index]?.co2eTonnes ?? null),
      })),
    },
    facilities: {
      ...emitted,
      title: "Largest facilities",
      rowsAre: "Facility",
      rows: byFacility.map(({ facility }) => facility?.name ?? "No facility"),
      links: byFacility.map(({ facility }) => facility && linkToRecords(days, { facility: facility.code })),
      series: [{ name: "Emissions", values: byFacility.map(({ co2eTonnes }) => co2eTonnes) }],
    },
    categories: {
      ...emitted,
      title: "Largest categories",
      rowsAre: "Category",
      rows: byCategory.map(({ category }) => (category === null ? "No category" : nameOf(category))),
      links: byCategory.map(({ category }) => category && linkToRecords(days, { category })),
      series: [{ name: "Emissions", values: byCategory.map(({ co2eTonnes }) => co2eTonnes) }],
    },
  } satisfies Record<string, Series>;
}
