import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { Button } from "../../parts/button.js";
import { DialogButton } from "../../parts/forms/dialogs.js";
import { daysAhead, monthOf } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Source } from "../../parts/source.js";
import { Empty } from "../../parts/states.js";
import { AddDeadline } from "./deadlines/add-deadline.js";
import { AdoptDeadlines } from "./deadlines/adopt-deadlines.js";
import { ChangeDeadline } from "./deadlines/change-deadline.js";
import { CompleteDeadline } from "./deadlines/complete-deadline.js";
import { EVERY } from "./deadlines/deadline-fields.js";
import type { Deadline, Deadlines } from "./read-compliance.js";

interface DeadlineYearProps {
  readonly deadlines: Deadlines;
  readonly year: number;
}

/** The deadlines of a year, month by month. */
export function DeadlineYear({ deadlines, year }: DeadlineYearProps) {
  const { change } = useAddress();
  const mayWrite = useScope("write:compliance");
  const turn = (by: number) => () => change({ year: String(year + by) });
  return (
    <section>
      <header class="row">
        <h2>Deadlines of {year}</h2>
        <Button label={`← ${year - 1}`} onClick={turn(-1)} />
        <Button label={`${year + 1} →`} onClick={turn(1)} />
        {mayWrite && (
          <>
            <DialogButton label="Adopt deadlines" opens={<AdoptDeadlines />} />
            <DialogButton label="Add deadline" opens={<AddDeadline />} />
          </>
        )}
      </header>
      <Months deadlines={deadlines} year={year} />
    </section>
  );
}

function Months({ deadlines: { nodes, totalCount }, year }: DeadlineYearProps) {
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
            <Month deadlines={nodes.filter(({ dueDate }) => dueDate.startsWith(month))} />
          </section>
        ))}
      </div>
    </>
  );
}

function Month({ deadlines }: { deadlines: Deadlines["nodes"] }) {
  if (deadlines.length === 0) return <p class="quiet">Nothing due</p>;
  return (
    <ul class="deadlines">
      {deadlines.map((deadline) => (
        <DeadlineItem key={deadline.id} deadline={deadline} />
      ))}
    </ul>
  );
}

/** A deadline in a list: its title, state, source and actions. */
export function DeadlineItem({ deadline }: { deadline: Deadline }) {
  const mayWrite = useScope("write:compliance");
  const { dueDate, framework, title, recurrence, source, sourceUrl } = deadline;
  return (
    <li>
      <strong>{dueDate}</strong> {nameOf(framework)}: {title}{" "}
      <span class="quiet">
        <State deadline={deadline} />
        {recurrence && `, ${EVERY[recurrence]}`}
      </span>
      <small class="source">
        <Source source={source} sourceUrl={sourceUrl} />
      </small>
      {mayWrite && !isCompleted(deadline) && (
        <div class="actions">
          <DialogButton label="Complete" look="quiet" opens={<CompleteDeadline deadline={deadline} />} />
          <DialogButton label="Change" look="quiet" opens={<ChangeDeadline deadline={deadline} />} />
        </div>
      )}
    </li>
  );
}

const isCompleted = ({ status }: Deadline) => status.toLowerCase() === "completed";

function State({ deadline }: { deadline: Deadline }) {
  const { status, isOverdue, daysRemaining, completedOn, evidence } = deadline;
  if (isOverdue)
    return (
      <>
        <strong class="overdue">Overdue</strong>, due {daysAhead(daysRemaining)}
      </>
    );
  if (isCompleted(deadline) && completedOn) {
    return (
      <>
        ✓ completed on {completedOn}
        {evidence && `: ${evidence}`}
      </>
    );
  }
  return (
    <>
      {daysAhead(daysRemaining)}, {nameOf(status).toLowerCase()}
    </>
  );
}
