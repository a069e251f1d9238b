import { type BaseYearFigureName, type ConsoleBaseYearQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { monthOf } from "../../parts/moment.js";
import { Exact, percent, Tonnes } from "../../parts/numbers.js";
import { LoadedField } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";

const READ = graphql(`
  query ConsoleBaseYear {
    baseYearStatus {
      year
      issue
      holdingsAsOf
      thresholdPercent
      figures { figure reported restated change structural other changePercent required }
      required
    }
  }
`);

type Figure = NonNullable<ConsoleBaseYearQuery["baseYearStatus"]>["figures"][number];

const FIGURES: Readonly<Record<BaseYearFigureName, string>> = {
  SCOPE_1_2_LOCATION: "Scopes 1 and 2, location-based",
  SCOPE_1_2_MARKET: "Scopes 1 and 2, market-based",
  SCOPE_3: "Scope 3",
};

/** The base year's latest issue compared with its records today. Renders nothing until the base year is issued. */
export function BaseYear() {
  const answer = useQuery(READ, {});
  return (
    <LoadedField answer={answer} skeleton="line" field="baseYearStatus">
      {({ year, issue, holdingsAsOf, thresholdPercent, figures, required }) => (
        <section class="apart">
          <h2>Base year {year}</h2>
          <p>
            <strong class={required ? "overdue" : undefined}>
              {required ? "Restate the base year." : "No restatement is needed."}
            </strong>{" "}
            Issue {issue} compared with today's records and the holdings in {monthOf(holdingsAsOf)}.{" "}
            {thresholdPercent === null ? (
              "Your policy states no threshold."
            ) : (
              <>
                Your policy requires a restatement for a change of <Exact value={thresholdPercent} /> % or
                more.
              </>
            )}{" "}
            {required && <a href={`/console/inventory/issues?year=${year}`}>Open {year}</a>}
          </p>
          <Table caption="Base year" rows={figures} columns={COLUMNS} />
        </section>
      )}
    </LoadedField>
  );
}

const tonnes = (title: string, of: (figure: Figure) => number | null, isChange = false): Column<Figure> => ({
  title,
  isNumber: true,
  cell: (figure) => <Tonnes value={of(figure)} isChange={isChange} />,
});

const COLUMNS: readonly Column<Figure>[] = [
  { title: "tCO₂e", wraps: true, cell: ({ figure }) => FIGURES[figure] },
  tonnes("Reported", ({ reported }) => reported),
  tonnes("Today", ({ restated }) => restated),
  tonnes("Due to holdings", ({ structural }) => structural, true),
  tonnes("Due to records", ({ other }) => other, true),
  {
    title: "Change",
    isNumber: true,
    cell: ({ changePercent, required }) => (
      <span class={required ? "overdue" : undefined}>
        {changePercent === null ? "–" : percent(changePercent)}
      </span>
    ),
  },
];
