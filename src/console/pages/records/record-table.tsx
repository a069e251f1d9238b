import { nameOf } from "../../parts/names.js";
import { Exact, Tonnes } from "../../parts/numbers.js";
import { Empty } from "../../parts/states.js";
import { Table } from "../../parts/table.js";
import type { ListedEmissions, ListedRecord } from "./read-records.js";

/** What is to be done with a record. */
export interface RecordAction {
  readonly what: "show" | "edit" | "delete";
  readonly record: ListedRecord;
}

interface RecordTableProps {
  readonly emissions: ListedEmissions;
  readonly mayWrite: boolean;
  readonly onOpen: (action: RecordAction) => void;
}

/** Records with their total, and what can be done with each. */
export function RecordTable({ emissions, mayWrite, onOpen }: RecordTableProps) {
  const { from, to, records, recordCount, totalCo2eTonnes } = emissions;
  if (records.nodes.length === 0) {
    return (
      <Empty>
        No records from {from} to {to} match. Choose other days or fewer filters
        {mayWrite ? ", or add a record." : "."}
      </Empty>
    );
  }
  return (
    <>
      <p class="quiet">
        <Exact value={recordCount} /> {recordCount === 1 ? "record" : "records"} from {from} to {to}, together{" "}
        <Exact value={totalCo2eTonnes} /> tCO₂e
      </p>
      <Table
        caption="Records"
        rows={records.nodes}
        columns={[
          {
            title: "Day",
            cell: (record) => (
              <button type="button" class="link" onClick={() => onOpen({ what: "show", record })}>
                {record.recordedOn}
              </button>
            ),
          },
          { title: "tCO₂e", isNumber: true, cell: ({ co2eTonnes }) => <Tonnes value={co2eTonnes} /> },
          { title: "Scope", cell: ({ scope }) => nameOf(scope) },
          { title: "Facility", wraps: true, cell: ({ facility }) => facility?.name ?? "–" },
          {
            title: "Category",
            wraps: true,
            cell: ({ category }) => (category === null ? "–" : nameOf(category)),
          },
          { title: "Reference", wraps: true, cell: ({ reference }) => reference ?? "–" },
          ...(mayWrite
            ? [
                {
                  title: "Change",
                  isActions: true,
                  cell: (record: ListedRecord) => (
                    <>
                      <button type="button" class="quiet" onClick={() => onOpen({ what: "edit", record })}>
                        Edit
                      </button>
                      <button type="button" class="quiet" onClick={() => onOpen({ what: "delete", record })}>
                        Delete
                      </button>
                    </>
                  ),
                },
              ]
            : []),
        ]}
      />
    </>
  );
}
