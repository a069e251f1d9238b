import { useMemo } from "preact/hooks";
import { type ConsoleDeadlinesQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useAddress } from "../../parts/address.js";
import { daysAhead } from "../../parts/deadline.js";
import { monthOf } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Empty, Shown } from "../../parts/states.js";

const OPERATION = graphql(`
  query ConsoleDeadlines($year: DateRangeInput!) {
    compliance {
      deadlines(filter: { dueDate: $year }, first: 100) {
        nodes { id framework title dueDate daysRemaining status }
        totalCount
      }
    }
  }
`);

type Deadlines = NonNullable<ConsoleDeadlinesQuery["compliance"]>["deadlines"];

/** The deadlines of a year, month by month; `chosen` is the year in the address, this year by default. */
export function DeadlineYear({ chosen }: { chosen: string | undefined }) {
  const { change } = useAddress();
  const year = chosen && /^[12]\d{3}$/.test(chosen) ? Number(chosen) : new Date().getFullYear();
  const variables = useMemo(() => ({ year: { from: `${year}-01-01`, to: `${year}-12-31` } }), [year]);
  const answer = useQuery(OPERATION, variables);
  const turn = (by: number) => () => change({ year: String(year + by) });
  return (
    <section>
      <header class="row">
        <h2>Deadlines of {year}</h2>
        <button type="button" class="outline" onClick={turn(-1)}>
          ← {year - 1}
        </button>
        <button type="button" class="outline" onClick={turn(1)}>
          {year + 1} →
        </button>
      </header>
      <Shown answer={answer} as="table">
        {({ compliance }) => compliance && <Months deadlines={compliance.deadlines} year={year} />}
      </Shown>
    </section>
  );
}

function Months({ deadlines: { nodes, totalCount }, year }: { deadlines: Deadlines; year: number }) {
  if (nodes.length === 0) return <Empty>Nothing is due in {year}.</Empty>;
  const months = Array.from({ length: 12 }, (_, index) => `${year}-${String(index + 1).padStart(2, "0")}`);
  return (
    <>
      {totalCount > nodes.length && (
        <p>
          The first {nodes.length} of {totalCount} deadlines.
        </p>
      )}
      <div class="months">
        {months.map((month) => (
          <section key={month} class="card">
            <h3>{monthOf(`${month}-01`)}</h3>
            <ul>
              {nodes
                .filter(({ dueDate }) => dueDate.startsWith(month))
                .map(({ id, framework, title, dueDate, daysRemaining, status }) => (
                  <li key={id}>
                    <strong>{dueDate}</strong> {nameOf(framework)}: {title}{" "}
                    <span class="quiet">
                      {daysAhead(daysRemaining)}, {nameOf(status).toLowerCase()}
                    </span>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}
