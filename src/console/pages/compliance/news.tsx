import { useScope } from "../../gateway/viewer.js";
import { DialogButton } from "../../parts/forms/dialogs.js";
import { FRAMEWORK_NAMES } from "../../parts/frameworks.js";
import { Day } from "../../parts/moment.js";
import { Publication } from "../../parts/source.js";
import { type Column, Table } from "../../parts/table.js";
import type { DeadlinesProps } from "./agenda.js";
import { ChangeDeadline } from "./deadlines/change-deadline.js";
import type { Deadline } from "./read-compliance.js";

/** Dates that require no action. Past ones appear only when their year is shown. */
export function News({ deadlines: { nodes }, year }: DeadlinesProps) {
  const mayWrite = useScope("write:compliance");
  const events = nodes.filter(
    ({ isDuty, daysRemaining }) => !isDuty && (year !== null || daysRemaining >= 0),
  );
  if (events.length === 0) return null;
  const actions = mayWrite && actionsFor;
  const later = events.slice(MAX_SHOWN);
  return (
    <section>
      <h2>News</h2>
      <p class="quiet">Rule changes and publications. You don't have to do anything.</p>
      <Table caption="News" rows={events.slice(0, MAX_SHOWN)} columns={COLUMNS} actions={actions} />
      {later.length > 0 && (
        <details>
          <summary>{later.length} more</summary>
          <Table caption="More news" rows={later} columns={COLUMNS} actions={actions} />
        </details>
      )}
    </section>
  );
}

/** Number of events shown before the rest is collapsed. */
const MAX_SHOWN = 5;

const COLUMNS: readonly Column<Deadline>[] = [
  { title: "Event", wraps: true, cell: ({ title }) => title },
  { title: "Date", cell: ({ dueDate }) => <Day on={dueDate} /> },
  { title: "Framework", wraps: true, cell: ({ framework }) => FRAMEWORK_NAMES[framework] },
  {
    title: "Source",
    wraps: true,
    cell: ({ source, sourceUrl }) =>
      source && sourceUrl ? <Publication source={source} sourceUrl={sourceUrl} /> : (source ?? "–"),
  },
];

const actionsFor = (deadline: Deadline) => (
  <DialogButton label="Edit" look="quiet" opens={<ChangeDeadline deadline={deadline} />} />
);
