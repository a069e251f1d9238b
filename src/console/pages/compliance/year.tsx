import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { monthOf } from "../../parts/moment.js";
import { Empty } from "../../parts/states.js";
import { DeadlineItem } from "./deadlines/deadline-item.js";
import type { Open } from "./dialogs.js";
import type { Deadlines } from "./read-compliance.js";

interface DeadlineYearProps {
  readonly deadlines: Deadlines;
  readonly year: number;
  readonly onOpen: (open: Open) => void;
}

/** The deadlines of a year, month by month. */
export function DeadlineYear({ deadlines, year, onOpen }: DeadlineYearProps) {
  const { change } = useAddress();
  const mayWrite = useScope("write:compliance");
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
        {mayWrite && (
          <>
            <button type="button" class="outline" onClick={() => onOpen({ what: "adopt-deadlines" })}>
              Adopt deadlines
            </button>
            <button type="button" class="outline" onClick={() => onOpen({ what: "add-deadline" })}>
              Add deadline
            </button>
          </>
        )}
      </header>
      <Months deadlines={deadlines} year={year} onOpen={onOpen} />
    </section>
  );
}

function Months({ deadlines: { nodes, totalCount }, year, onOpen }: DeadlineYearProps) {
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
            <Month deadlines={nodes.filter(({ dueDate }) => dueDate.startsWith(month))} onOpen={onOpen} />
          </section>
        ))}
      </div>
    </>
  );
}

interface MonthProps {
  readonly deadlines: Deadlines["nodes"];
  readonly onOpen: (open: Open) => void;
}

function Month({ deadlines, onOpen }: MonthProps) {
  if (deadlines.length === 0) return <p class="quiet">Nothing due</p>;
  return (
    <ul class="deadlines">
      {deadlines.map((deadline) => (
        <DeadlineItem key={deadline.id} deadline={deadline} onOpen={onOpen} />
      ))}
    </ul>
  );
}
