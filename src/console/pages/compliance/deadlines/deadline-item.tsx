import { useScope } from "../../../gateway/viewer.js";
import { daysAhead } from "../../../parts/deadline.js";
import { nameOf } from "../../../parts/names.js";
import type { Open } from "../dialogs.js";
import type { Deadline } from "../read-compliance.js";
import { EVERY } from "./deadline-fields.js";
import { Source } from "./source.js";

interface DeadlineItemProps {
  readonly deadline: Deadline;
  readonly onOpen: (open: Open) => void;
}

/** A deadline of a list: what is due, how it stands, where it comes from, and what can be done. */
export function DeadlineItem({ deadline, onOpen }: DeadlineItemProps) {
  const mayWrite = useScope("write:compliance");
  const { dueDate, framework, title, recurrence, source, sourceUrl } = deadline;
  return (
    <li>
      <strong>{dueDate}</strong> {nameOf(framework)}: {title}{" "}
      <span class="quiet">
        <State deadline={deadline} />
        {recurrence && `, ${EVERY[recurrence]}`}
      </span>
      <Source source={source} sourceUrl={sourceUrl} />
      {mayWrite && !isCompleted(deadline) && (
        <div class="actions">
          <button type="button" class="quiet" onClick={() => onOpen({ what: "complete-deadline", deadline })}>
            Complete
          </button>
          <button type="button" class="quiet" onClick={() => onOpen({ what: "change-deadline", deadline })}>
            Change
          </button>
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
