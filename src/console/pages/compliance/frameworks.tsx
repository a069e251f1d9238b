import { useScope } from "../../gateway/viewer.js";
import { DialogButton } from "../../parts/forms/dialogs.js";
import { FRAMEWORK_NAMES } from "../../parts/frameworks.js";
import { Day, daysAhead, Moment } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { type Column, Table } from "../../parts/table.js";
import { AddFramework } from "./frameworks/add-framework.js";
import { SetStatus } from "./frameworks/set-status.js";
import { FRAMEWORKS, type FrameworkState } from "./read-compliance.js";

/** The organization's registered frameworks, with their status. */
export function Frameworks({ states }: { states: readonly FrameworkState[] }) {
  const mayWrite = useScope("write:compliance");
  const offered = FRAMEWORKS.filter((one) => !states.some(({ framework }) => framework === one));
  return (
    <section>
      <div class="row">
        <h2>Frameworks</h2>
        {mayWrite && offered.length > 0 && (
          <DialogButton label="Add framework" parameter="add" opens={<AddFramework offered={offered} />} />
        )}
      </div>
      <Table caption="Frameworks" rows={states} columns={COLUMNS} actions={mayWrite && actionsFor}>
        No frameworks yet. {mayWrite && "Add the ones you report under."}
      </Table>
    </section>
  );
}

const COLUMNS: readonly Column<FrameworkState>[] = [
  { title: "Framework", wraps: true, cell: ({ framework }) => FRAMEWORK_NAMES[framework] },
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  { title: "Note", wraps: true, cell: ({ note }) => note ?? "–" },
  {
    title: "Next date",
    cell: ({ upcomingDeadlines: [next] }) => (
      <>
        <Day on={next?.dueDate} /> {next && <span class="quiet">{daysAhead(next.daysRemaining)}</span>}
      </>
    ),
  },
  { title: "Updated", cell: ({ lastUpdated }) => <Moment at={lastUpdated} /> },
];

const actionsFor = (state: FrameworkState) => (
  <DialogButton label="Set status" look="quiet" opens={<SetStatus state={state} />} />
);

const SYMBOLS: Readonly<Record<FrameworkState["status"], string>> = {
  COMPLIANT: "✓",
  ACTION_REQUIRED: "!",
  PENDING_REVIEW: "…",
  NOT_APPLICABLE: "–",
};

function Status({ status }: Pick<FrameworkState, "status">) {
  return (
    <span class={`status ${status.toLowerCase()}`}>
      <span aria-hidden="true">{SYMBOLS[status]}</span> {nameOf(status)}
    </span>
  );
}
