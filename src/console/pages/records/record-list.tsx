import { useScope } from "../../gateway/viewer.js";
import { DialogButton } from "../../parts/forms/dialogs.js";
import { later } from "../../parts/later.js";
import { nameOf } from "../../parts/names.js";
import { Exact, Tonnes } from "../../parts/numbers.js";
import { type Column, List } from "../../parts/table.js";
import { RecordDetails } from "./details.js";
import type { ListedEmissions, ListedRecord } from "./read-records.js";
import { DeleteRecord } from "./writing/delete-record.js";

const EditRecord = later<{ record: ListedRecord }>(
  async () => (await import("./writing/edit-record.js")).EditRecord,
);

/** Records with their total, and the actions for each. */
export function RecordList({ emissions }: { emissions: ListedEmissions }) {
  const mayWrite = useScope("write:emissions");
  const { from, to, records, recordCount, totalCo2eTonnes } = emissions;
  return (
    <>
      {records.nodes.length > 0 && (
        <p class="quiet">
          <Exact value={recordCount} /> {recordCount === 1 ? "record" : "records"} from {from} to {to},
          together <Exact value={totalCo2eTonnes} /> tCO₂e
        </p>
      )}
      <List caption="Records" {...records} columns={COLUMNS} actions={mayWrite && offer}>
        No records from {from} to {to} match. Choose other days or fewer filters
        {mayWrite ? ", or add a record." : "."}
      </List>
    </>
  );
}

const COLUMNS: readonly Column<ListedRecord>[] = [
  {
    title: "Day",
    cell: (record) => (
      <DialogButton label={record.recordedOn} look="link" opens={<RecordDetails record={record} />} />
    ),
  },
  { title: "tCO₂e", isNumber: true, cell: ({ co2eTonnes }) => <Tonnes value={co2eTonnes} /> },
  { title: "Scope", cell: ({ scope }) => nameOf(scope) },
  { title: "Facility", wraps: true, cell: ({ facility }) => facility?.name ?? "–" },
  { title: "Category", wraps: true, cell: ({ category }) => (category === null ? "–" : nameOf(category)) },
  { title: "Reference", wraps: true, cell: ({ reference }) => reference ?? "–" },
];

const offer = (record: ListedRecord) => (
  <>
    <DialogButton label="Edit" look="quiet" opens={<EditRecord record={record} />} />
    <DialogButton label="Delete" look="quiet" opens={<DeleteRecord record={record} />} />
  </>
);
