import { type ConsoleEmissionChangeQuery, graphql } from "../../../generated/console.js";
import { type Answer, useQuery } from "../../gateway/use-query.js";
import { type Days, todayInUtc } from "../../parts/days.js";
import { nameOf } from "../../parts/names.js";
import { Sum, percent as writePercent, writeSum } from "../../parts/numbers.js";
import { linkToRecords } from "../../parts/record-links.js";
import { LoadedField } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";
import { comparableDays, writeDays } from "./periods.js";
import type { Emissions } from "./read-emissions.js";

const OPERATION = graphql(`
  query ConsoleEmissionChange($range: DateRangeInput!) {
    emissions(range: $range) {
      from
      to
      change(from: YEAR_BEFORE) {
        previousFrom
        previousTo
        co2eTonnes
        percent
        contributions(by: FACILITY_AND_CATEGORY, first: 10) {
          id
          series { category }
          facility { code name }
          previousCo2eTonnes
          currentCo2eTonnes
          co2eTonnes
          percent
        }
      }
    }
  }
`);

type Compared = NonNullable<ConsoleEmissionChangeQuery["emissions"]>;
type Contribution = Compared["change"]["contributions"][number];

/** Comparison of a range with the same days a year earlier; null if no days can be compared. */
export type Change = Answer<ConsoleEmissionChangeQuery> | null;

/** Compares the recorded part of a range with the same days a year earlier. */
export function useChange({ from, to, latestRecord }: Emissions): Change {
  const range = comparableDays({ from, to }, latestRecord, todayInUtc());
  const answer = useQuery(OPERATION, { range: range ?? { from, to } });
  return range && answer;
}

/** A change with its sign: decreases are green, increases red. */
export const SignedChange = ({ by, unit }: { by: number; unit: string }) => (
  <span class={by < 0 ? "fall" : by > 0 ? "rise" : undefined}>
    <Sum value={by} unit={unit} isChange />
  </span>
);

/** Returns the two periods of a comparison. */
export const periodsOf = ({ from, to, change }: Compared): { now: Days; before: Days } => ({
  now: { from, to },
  before: { from: change.previousFrom, to: change.previousTo },
});

/** Up to 10 combinations of facility and category that changed most, largest change first. */
export function WhatChanged({ change }: { change: Change }) {
  if (change === null) return null;
  return (
    <section class="changed" aria-labelledby="changed">
      <h2 id="changed">What changed</h2>
      <LoadedField answer={change} skeleton="short" field="emissions">
        {(compared) => <Contributions compared={compared} />}
      </LoadedField>
    </section>
  );
}

const Amount = ({ tonnes }: { tonnes: number }) => (
  <span>
    <Sum value={tonnes} unit="t" />
  </span>
);

function Contributions({ compared }: { compared: Compared }) {
  const { contributions } = compared.change;
  const { now, before } = periodsOf(compared);
  const columns: readonly Column<Contribution>[] = [
    {
      title: "Facility",
      wraps: true,
      cell: ({ facility, series: { category }, currentCo2eTonnes: current }) => {
        const name = <bdi>{facility?.name ?? "No facility"}</bdi>;
        // The records page cannot filter by a missing facility or category.
        if (!facility || !category) return name;
        return (
          <a href={linkToRecords(current === 0 ? before : now, { facility: facility.code, category })}>
            {name}
          </a>
        );
      },
    },
    {
      title: "Category",
      wraps: true,
      cell: ({ series }) => (series.category === null ? "No category" : nameOf(series.category ?? "")),
    },
    { title: "Before", isNumber: true, cell: (row) => <Amount tonnes={row.previousCo2eTonnes} /> },
    { title: "Now", isNumber: true, cell: (row) => <Amount tonnes={row.currentCo2eTonnes} /> },
    { title: "Change", isNumber: true, cell: ({ co2eTonnes }) => <SignedChange by={co2eTonnes} unit="t" /> },
    {
      title: "Change, %",
      isNumber: true,
      cell: ({ percent, currentCo2eTonnes: current }) =>
        percent === null ? "New" : current === 0 ? "None now" : writePercent(percent),
    },
  ];
  return (
    <>
      <p class="quiet">
        {writeDays(now)} compared with {writeDays(before)}, in tonnes of CO₂e.{summarize(contributions)}
      </p>
      <Table caption="What changed" rows={contributions} columns={columns}>
        No changes.
      </Table>
    </>
  );
}

/** Describes the largest decrease and the largest increase among the contributions, if any. */
function summarize(contributions: readonly Contribution[]): string {
  const describe = (kind: string, found: Contribution | undefined) => {
    if (!found) return "";
    const { facility, series, co2eTonnes } = found;
    const part = series.category ? nameOf(series.category).toLowerCase() : "records without a category";
    return ` The largest ${kind} is ${part}${facility ? ` at ${facility.name}` : ""}: ${writeSum(Math.abs(co2eTonnes))} t.`;
  };
  const [fall, rise] = [-1, 1].map((sign) => contributions.find(({ co2eTonnes }) => co2eTonnes * sign > 0));
  return describe("decrease", fall) + describe("increase", rise);
}
