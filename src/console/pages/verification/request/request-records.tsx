import { useQuery } from "../../../gateway/use-query.js";
import { useAddress } from "../../../parts/address.js";
import { DialogButton } from "../../../parts/forms/dialogs.js";
import { Day } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { Tonnes } from "../../../parts/numbers.js";
import { Empty, LoadedField } from "../../../parts/states.js";
import { type Column, List } from "../../../parts/table.js";
import { READ_RECORDS, type Request, type VerifiedRecord } from "../read-requests.js";
import { AddFinding } from "./add-finding.js";

const OPEN_TO_VERIFIER: readonly string[] = ["SUBMITTED", "IN_REVIEW", "CHANGES_REQUESTED"];

/** The records of a request with an export, while the user may read them. */
export function RequestRecords({ request }: { request: Request }) {
  const { id, isAssigned, status } = request;
  const isOpen = !isAssigned || OPEN_TO_VERIFIER.includes(status);
  return (
    <section>
      <div class="row">
        <h2>Records</h2>
        {isOpen && (
          <a href={`/api/v1/verification/requests/${id}/records/export`} download={`${request.number}.csv`}>
            Export as CSV
          </a>
        )}
      </div>
      {isOpen ? (
        <RecordPage request={request} />
      ) : (
        <Empty>You can read the records only from submission until your decision.</Empty>
      )}
    </section>
  );
}

function RecordPage({ request }: { request: Request }) {
  const { id, isAssigned, status, findings } = request;
  const { after = null } = useAddress().query;
  const answer = useQuery(READ_RECORDS, { id, after });
  const foundAbout = (record: VerifiedRecord) =>
    findings.filter(({ recordId }) => recordId === record.id).length;
  const columns: readonly Column<VerifiedRecord>[] = [
    ...COLUMNS,
    { title: "Findings", isNumber: true, cell: (record) => foundAbout(record) },
  ];
  const add: Column<VerifiedRecord> = {
    title: "Add",
    isActions: true,
    cell: (record) => (
      <DialogButton
        label="Add finding"
        look="quiet"
        opens={<AddFinding request={request} record={record} />}
      />
    ),
  };
  const mayFind = isAssigned && status === "IN_REVIEW";
  return (
    <LoadedField answer={answer} skeleton="table" field="verificationRequest">
      {(verificationRequest) => (
        <List
          caption="Records to verify"
          {...verificationRequest.records}
          columns={mayFind ? [...columns, add] : columns}
        >
          No records in this period and scopes.
        </List>
      )}
    </LoadedField>
  );
}

const COLUMNS: readonly Column<VerifiedRecord>[] = [
  { title: "Date", cell: ({ recordedOn }) => <Day on={recordedOn} /> },
  { title: "tCO₂e", isNumber: true, cell: ({ co2eTonnes }) => <Tonnes value={co2eTonnes} /> },
  { title: "Scope", cell: ({ scope }) => nameOf(scope) },
  { title: "Facility", wraps: true, cell: ({ facilityCode }) => facilityCode ?? "–" },
  { title: "Category", wraps: true, cell: ({ category }) => (category === null ? "–" : nameOf(category)) },
  { title: "Reference", wraps: true, cell: ({ reference }) => reference ?? "–" },
  { title: "Source", wraps: true, cell: ({ source }) => source ?? "–" },
];
