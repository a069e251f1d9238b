import { useState } from "preact/hooks";
import { Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { Exact } from "../../../parts/numbers.js";
import { Empty } from "../../../parts/states.js";
import { type Column, Table } from "../../../parts/table.js";
import { RecordDetails } from "../../records/details.js";
import type { Open } from "../dialogs.js";
import type { Finding, Request } from "../read-requests.js";
import { Misstatements } from "./misstatements.js";

interface FindingsProps {
  readonly request: Request;
  readonly onOpen: (open: Open) => void;
}

/** What the verifier found, latest first, and what it adds up to. */
export function Findings({ request, onOpen }: FindingsProps) {
  const { findings, isAssigned, status } = request;
  const [shown, show] = useState<string | null>(null);
  return (
    <section>
      <div class="row">
        <h2>Findings</h2>
        {isAssigned && status === "IN_REVIEW" && (
          <button
            type="button"
            class="outline"
            onClick={() => onOpen({ what: "add-finding", request, record: null })}
          >
            Add finding
          </button>
        )}
      </div>
      {findings.length === 0 ? (
        <Empty>There are no findings.</Empty>
      ) : (
        <>
          <Misstatements request={request} />
          <Table
            caption="Findings"
            rows={findings}
            columns={[...COLUMNS, recordColumn(isAssigned ? null : show)]}
          />
        </>
      )}
      {shown && <RecordDetails record={{ id: shown }} onClose={() => show(null)} />}
    </section>
  );
}

const COLUMNS: readonly Column<Finding>[] = [
  { title: "Finding", wraps: true, cell: ({ text }) => <span class="lines">{text}</span> },
  {
    title: "Severity",
    cell: ({ severity }) => <span class={`severity ${severity.toLowerCase()}`}>{nameOf(severity)}</span>,
  },
  {
    title: "Misstatement, t",
    isNumber: true,
    cell: ({ misstatementTonnes }) => <Exact value={misstatementTonnes} />,
  },
  { title: "Snapshot", isNumber: true, cell: ({ snapshotNumber }) => snapshotNumber },
  { title: "When", cell: ({ createdAt }) => <Moment at={createdAt} /> },
];

/** The record of a finding; with a button for those who may read everything of it. */
const recordColumn = (onShow: ((id: string) => void) | null): Column<Finding> => ({
  title: "Record",
  wraps: true,
  cell: ({ recordId }) =>
    recordId === null ? (
      "–"
    ) : onShow === null ? (
      recordId
    ) : (
      <button type="button" class="link" onClick={() => onShow(recordId)}>
        Show
      </button>
    ),
});
