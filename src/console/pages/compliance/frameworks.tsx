import type { Framework } from "../../../generated/console.js";
import { useScope } from "../../gateway/viewer.js";
import { daysAhead } from "../../parts/deadline.js";
import { Moment } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Empty } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";
import type { Open } from "./dialogs.js";
import { FRAMEWORKS } from "./frameworks/frameworks.js";
import type { FrameworkState } from "./read-compliance.js";

interface FrameworksProps {
  readonly states: readonly FrameworkState[];
  readonly onOpen: (open: Open) => void;
}

/** The frameworks that the organization is registered for, with their status. */
export function Frameworks({ states, onOpen }: FrameworksProps) {
  const mayWrite = useScope("write:compliance");
  const isOffered = (one: Framework) => !states.some(({ framework }) => framework === one);
  const offered = FRAMEWORKS.filter(isOffered);
  return (
    <section>
      <div class="row">
        <h2>Frameworks</h2>
        {mayWrite && offered.length > 0 && (
          <button type="button" class="outline" onClick={() => onOpen({ what: "add-framework", offered })}>
            Add framework
          </button>
        )}
      </div>
      {states.length === 0 ? (
        <Empty>
          The organization is registered for no framework. {mayWrite && "Add one by its status. "}A bundle
          registers several: <code>gateway load --help</code>
        </Empty>
      ) : (
        <Table
          caption="Frameworks"
          rows={states}
          columns={mayWrite ? [...COLUMNS, actions(onOpen)] : COLUMNS}
        />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<FrameworkState>[] = [
  { title: "Framework", cell: ({ framework }) => nameOf(framework) },
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  { title: "Note", wraps: true, cell: ({ note }) => note ?? "–" },
  { title: "Next deadline", cell: ({ upcomingDeadlines: [next] }) => next?.dueDate ?? "–" },
  { title: "In", cell: ({ upcomingDeadlines: [next] }) => (next ? daysAhead(next.daysRemaining) : "–") },
  { title: "Updated", cell: ({ lastUpdated }) => <Moment at={lastUpdated} /> },
];

const actions = (onOpen: FrameworksProps["onOpen"]): Column<FrameworkState> => ({
  title: "Change",
  isActions: true,
  cell: (state) => (
    <button type="button" class="quiet" onClick={() => onOpen({ what: "set-status", state })}>
      Set status
    </button>
  ),
});

const SIGNS: Readonly<Record<FrameworkState["status"], string>> = {
  COMPLIANT: "✓",
  ACTION_REQUIRED: "!",
  PENDING_REVIEW: "…",
  NOT_APPLICABLE: "–",
};

function Status({ status }: Pick<FrameworkState, "status">) {
  return (
    <span class={`status ${status.toLowerCase()}`}>
      <span aria-hidden="true">{SIGNS[status]}</span> {nameOf(status)}
    </span>
  );
}
