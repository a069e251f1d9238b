import { useQuery } from "../../../gateway/use-query.js";
import { useAddress } from "../../../parts/address.js";
import { nameOf } from "../../../parts/names.js";
import { Tonnes } from "../../../parts/numbers.js";
import { Paging } from "../../../parts/paging.js";
import { Empty, Shown } from "../../../parts/states.js";
import { type Column, Table } from "../../../parts/table.js";
import type { Open } from "../dialogs.js";
import { READ_RECORDS, type Request, type VerifiedRecord } from "../read-requests.js";

interface RequestRecordsProps {
  readonly request: Request;
  readonly onOpen: (open: Open) => void;
}

const OPEN_TO_VERIFIER: readonly string[] = ["SUBMITTED", "IN_REVIEW", "CHANGES_REQUESTED"];

/** The records of a request with an export, for as long as the person may read them. */
export function RequestRecords({ request, onOpen }: RequestRecordsProps) {
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
        <RecordPage request={request} onOpen={onOpen} />
      ) : (
        <Empty>You read the records from their submission until you decide.</Empty>
      )}
    </section>
  );
}

function RecordPage({ request, onOpen }: RequestRecordsProps) {
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
      <button type="button" class="quiet" onClick={() => onOpen({ what: "add-finding", request, record })}>
        Add finding
      </button>
    ),
  };
  const mayFind = isAssigned && status === "IN_REVIEW";
  return (
    <Shown answer={answer} as="table">
      {({ verificationRequest }) =>
        verificationRequest && (
          <>
            {verificationRequest.records.nodes.length === 0 ? (
              <Empty>There are no records in its period and scopes.</Empty>
            ) : (
              <Table
                caption="Records to verify"
                rows={verificationRequest.records.nodes}
                columns={mayFind ? [...columns, add] : columns}
              />
            )}
            <Paging pageInfo={verificationRequest.records.pageInfo} />
          </>
        )
      }
    </Shown>
  );
}

const COLUMNS: readonly Column<VerifiedRecord>[] = [
  { title: "Day", cell: ({ recordedOn }) => recordedOn },
  { title: "tCO₂e", isNumber: true, cell: ({ co2eTonnes }) => <Tonnes value={co2eTonnes} /> },
  { title: "Scope", cell: ({ scope }) => nameOf(scope) },
  { title: "Facility", wraps: true, cell: ({ facilityCode }) => facilityCode ?? "–" },
  { title: "Category", wraps: true, cell: ({ category }) => (category === null ? "–" : nameOf(category)) },
  { title: "Reference", wraps: true, cell: ({ reference }) => reference ?? "–" },
  { title: "Source", wraps: true, cell: ({ source }) => source ?? "–" },
];
