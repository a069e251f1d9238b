import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { Button } from "../../parts/button.js";
import { Details } from "../../parts/details.js";
import { Dialog } from "../../parts/forms/dialog.js";
import { useDialog } from "../../parts/forms/dialogs.js";
import { later } from "../../parts/later.js";
import { Moment, writeDay } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { writeDecimal } from "../../parts/numbers.js";
import { ShownData } from "../../parts/states.js";
import { RecordHistory } from "./history.js";
import { type LockOf, linkToLock } from "./locks.js";
import { describeActivity, type EmissionRecord, nameOfRecord, READ_RECORD, TEXTS } from "./read-records.js";
import { ShownCalculation } from "./writing/calculation.js";
import { DeleteRecords } from "./writing/delete-records.js";

const EditRecord = later<{ record: EmissionRecord }>(
  async () => (await import("./writing/edit-record.js")).EditRecord,
);

interface RecordPanelProps {
  readonly id: string;
  /** Undefined until the locks have arrived. */
  readonly lockOf: LockOf | undefined;
}

/** The panel of the record in the address: its data, calculation, lock and history. */
export function RecordPanel({ id, lockOf }: RecordPanelProps) {
  const { change } = useAddress();
  const leave = () => change({ record: "" });
  const answer = useQuery(READ_RECORD, { id });
  const record = answer.data?.emissionRecord;
  return (
    <Dialog title={record ? nameOfRecord(record) : "Record"} onClose={leave} isPanel>
      <ShownData answer={{ ...answer, data: lockOf && answer.data }} as="short">
        {({ emissionRecord }) =>
          emissionRecord && lockOf ? (
            <>
              <Changes record={emissionRecord} lockOf={lockOf} onLeave={leave} />
              <Parts record={emissionRecord} />
            </>
          ) : (
            <p>This record does not exist, or somebody has deleted it.</p>
          )
        }
      </ShownData>
      <RecordHistory id={id} />
      <div class="buttons">
        <Button label="Close" look="primary" onClick={leave} />
      </div>
    </Dialog>
  );
}

interface ChangesProps {
  readonly record: EmissionRecord;
  readonly lockOf: LockOf;
  readonly onLeave: () => void;
}

/** The lock of a record, otherwise buttons to change it. Their dialogs take the place of the panel. */
function Changes({ record, lockOf, onLeave }: ChangesProps) {
  const { open } = useDialog();
  const mayWrite = useScope("write:emissions");
  const lock = lockOf(record);
  if (lock) {
    return (
      <p class="note">
        Locked by verification request <a href={linkToLock(lock)}>{lock.number}</a>, which covers{" "}
        {writeDay(lock.period.from)} to {writeDay(lock.period.to)}. Nobody can change this record until the
        request is opened again.
      </p>
    );
  }
  if (!mayWrite) return null;
  const openInstead = (dialog: preact.ComponentChildren) => {
    onLeave();
    open(dialog);
  };
  return (
    <p class="panel-actions">
      <Button label="Edit" onClick={() => openInstead(<EditRecord record={record} />)} />
      <Button label="Delete" onClick={() => openInstead(<DeleteRecords records={[record]} />)} />
    </p>
  );
}

function Parts({ record }: { record: EmissionRecord }) {
  const { facility, category, calculation, marketBasedTonnesExact } = record;
  const activity = describeActivity(record);
  return (
    <>
      <Details
        items={{
          Day: <a href={recordsOfDay(record.recordedOn)}>{writeDay(record.recordedOn)}</a>,
          Emissions: `${writeDecimal(record.co2eTonnesExact)} tCO₂e`,
          ...(marketBasedTonnesExact !== null && {
            "Market-based": `${writeDecimal(marketBasedTonnesExact)} tCO₂e`,
          }),
          Scope: nameOf(record.scope),
          Facility:
            facility && `${facility.name} (${[facility.code, facility.country].filter(Boolean).join(", ")})`,
          Category: category && nameOf(category),
          ...(activity && { Activity: [activity.amount, activity.of].filter(Boolean).join(", ") }),
          Reference: record.reference,
          ...Object.fromEntries(TEXTS.map(([name, { label }]) => [label, record[name]])),
          Added: <Moment at={record.createdAt} />,
          ...(record.updatedAt && { Changed: <Moment at={record.updatedAt} /> }),
          Identifier: record.id,
        }}
      />
      <section class="card calculation" aria-label="Calculation">
        {calculation ? (
          <ShownCalculation calculation={calculation} />
        ) : (
          <p class="quiet">The amount was given in tonnes, and not calculated.</p>
        )}
      </section>
    </>
  );
}

/** Returns the link to the records of one day. */
const recordsOfDay = (day: string) => `/console/records?${new URLSearchParams({ from: day, to: day })}`;
