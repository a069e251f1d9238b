import { DialogButton } from "../../../parts/forms/dialogs.js";
import { Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { Exact } from "../../../parts/numbers.js";
import { Empty } from "../../../parts/states.js";
import { type Column, Table } from "../../../parts/table.js";
import { linkToRecord } from "../../records/read-records.js";
import type { Finding, Request } from "../read-requests.js";
import { AddFinding } from "./add-finding.js";
import { Misstatements } from "./misstatements.js";

/** The verifier's findings, latest first, and the total misstatement in the latest snapshot. */
export function Findings({ request }: { request: Request }) {
  const { findings, isAssigned, status } = request;
  return (
    <section>
      <div class="row">
        <h2>Findings</h2>
        {isAssigned && status === "IN_REVIEW" && (
          <DialogButton label="Add finding" opens={<AddFinding request={request} record={null} />} />
        )}
      </div>
      {findings.length === 0 ? (
        <Empty>No findings yet.</Empty>
      ) : (
        <>
          <Misstatements request={request} />
          <Table caption="Findings" rows={findings} columns={[...COLUMNS, recordColumn(isAssigned)]} />
        </>
      )}
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

/** Returns the column with the record of a finding. Members get a link; verifiers get the id. */
const recordColumn = (isAssigned: boolean): Column<Finding> => ({
  title: "Record",
  wraps: true,
  cell: ({ recordId }) =>
    recordId === null ? "–" : isAssigned ? recordId : <a href={linkToRecord(recordId)}>Show</a>,
});
