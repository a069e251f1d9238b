import "./agenda.css";
import { groupBy } from "../../../domain/group-by.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { Button } from "../../parts/button.js";
import { DialogButton } from "../../parts/forms/dialogs.js";
import { FRAMEWORK_NAMES } from "../../parts/frameworks.js";
import { Day, daysAhead, longMonthOf } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Source } from "../../parts/source.js";
import { Empty } from "../../parts/states.js";
import { AddDeadline } from "./deadlines/add-deadline.js";
import { AdoptDeadlines } from "./deadlines/adopt-deadlines.js";
import { ChangeDeadline } from "./deadlines/change-deadline.js";
import { CompleteDeadline } from "./deadlines/complete-deadline.js";
import { EVERY } from "./deadlines/deadline-fields.js";
import type { Deadline, Deadlines } from "./read-compliance.js";

export interface DeadlinesProps {
  readonly deadlines: Deadlines;
  /** Year of the deadlines; null for the pending ones of any year. */
  readonly year: number | null;
}

/** The organization's duties by due date: a group of overdue ones, and a group for each month. */
export function Agenda({ deadlines: { nodes, totalCount }, year }: DeadlinesProps) {
  const { change } = useAddress();
  const mayWrite = useScope("write:compliance");
  const show = (year: number | null) => () => change({ year: String(year ?? "") });
  const duties = nodes
    .filter(({ isDuty }) => isDuty)
    .toSorted((one, other) => Number(other.isOverdue) - Number(one.isOverdue));
  const groups = groupBy(duties, ({ isOverdue, dueDate }) => (isOverdue ? "Overdue" : longMonthOf(dueDate)));
  return (
    <section>
      <header class="row">
        <h2>{year === null ? "Agenda" : `Agenda for ${year}`}</h2>
        {year === null ? (
          <Button label="View by year" onClick={show(new Date().getFullYear())} />
        ) : (
          <>
            <Button label={`← ${year - 1}`} onClick={show(year - 1)} />
            <Button label={`${year + 1} →`} onClick={show(year + 1)} />
            <Button label="Upcoming" onClick={show(null)} />
          </>
        )}
        {mayWrite && (
          <>
            <DialogButton label="Add from the catalogue" opens={<AdoptDeadlines />} />
            <DialogButton label="Add deadline" opens={<AddDeadline />} />
          </>
        )}
      </header>
      {totalCount > nodes.length && (
        <p>
          Showing the first {nodes.length} of {totalCount} deadlines.
        </p>
      )}
      {duties.length === 0 && (
        <Empty>
          {year === null ? "Nothing is due." : `Nothing is due in ${year}.`}{" "}
          {mayWrite && "Add your own deadline, or a framework's deadlines from the catalogue."}
        </Empty>
      )}
      {[...groups].map(([name, group]) => (
        <section key={name} aria-label={name}>
          <h3>{name}</h3>
          <ul class="agenda">
            {group.map((deadline) => (
              <Duty key={deadline.id} deadline={deadline} />
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
}

function Duty({ deadline }: { deadline: Deadline }) {
  const { dueDate, daysRemaining, framework, title, recurrence, owner, source, sourceUrl, status } = deadline;
  const mayWrite = useScope("write:compliance") && status.toLowerCase() !== "completed";
  return (
    <li>
      <p>
        <strong>
          <Day on={dueDate} />
        </strong>
        <small class="quiet">{daysAhead(daysRemaining)}</small>
      </p>
      <p>
        <strong>{title}</strong>
        <small class="quiet">
          {FRAMEWORK_NAMES[framework]}
          {recurrence && `, ${EVERY[recurrence]}`}
        </small>
        <small>
          <Source source={source} sourceUrl={sourceUrl} />
        </small>
      </p>
      <p>
        <small class="quiet">Owner</small>
        {owner !== null ? (
          <bdi>{owner}</bdi>
        ) : mayWrite ? (
          <DialogButton label="Assign" look="link" opens={<ChangeDeadline deadline={deadline} />} />
        ) : (
          "Not assigned"
        )}
      </p>
      <p>
        <small class="quiet">Status</small>
        <State deadline={deadline} />
      </p>
      {mayWrite && (
        <div class="actions">
          <DialogButton label="Complete" look="quiet" opens={<CompleteDeadline deadline={deadline} />} />
          <DialogButton label="Edit" look="quiet" opens={<ChangeDeadline deadline={deadline} />} />
        </div>
      )}
    </li>
  );
}

function State({ deadline: { isOverdue, completedOn, evidence, status } }: { deadline: Deadline }) {
  if (isOverdue) return <strong class="overdue">Overdue</strong>;
  if (completedOn === null) return <>{nameOf(status)}</>;
  return (
    <span>
      ✓ Completed on <Day on={completedOn} />
      {evidence && `: ${evidence}`}
    </span>
  );
}
