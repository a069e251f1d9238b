import { useScope } from "../../../gateway/viewer.js";
import { daysAhead } from "../../../parts/days.js";
import { DialogButton } from "../../../parts/forms/dialogs.js";
import { nameOf } from "../../../parts/names.js";
import { Source } from "../../../parts/source.js";
import type { Deadline } from "../read-compliance.js";
import { ChangeDeadline } from "./change-deadline.js";
import { CompleteDeadline } from "./complete-deadline.js";
import { EVERY } from "./deadline-fields.js";

/** A deadline of a list: what is due, how it stands, where it comes from, and what can be done. */
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
  const { status, overdue, daysRemaining, completedOn, evidence } = deadline;
  if (overdue)
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
