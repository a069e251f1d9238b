import type { ComponentChildren } from "preact";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { Button } from "../../parts/button.js";
import { Details } from "../../parts/details.js";
import { Dialog } from "../../parts/forms/dialog.js";
import { useDialog } from "../../parts/forms/dialogs.js";
import { later } from "../../parts/later.js";
import { Moment, writeDay } from "../../parts/moment.js";
import { ShownData } from "../../parts/states.js";
import { RecordHistory } from "./history.js";
import { type Lock, type LockOf, linkToLock } from "./locks.js";
import { describeRecord, type EmissionRecord, nameOfRecord, READ_RECORD } from "./read-records.js";
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
              <Changes record={emissionRecord} lock={lockOf(emissionRecord)} onLeave={leave} />
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

/** The lock of a record, otherwise buttons to change it. Their dialogs take the place of the panel. */
function Changes({
  record,
  lock,
  onLeave,
}: {
  record: EmissionRecord;
  lock: Lock | undefined;
  onLeave: () => void;
}) {
  const { open } = useDialog();
  const mayWrite = useScope("write:emissions");
  if (lock) {
    return (
      <p class="note">
        Locked by verification request <a href={linkToLock(lock)}>{lock.number}</a>. Nobody can change or
        delete it unless that request is opened again.
      </p>
    );
  }
  if (!mayWrite) return null;
  const openInstead = (dialog: ComponentChildren) => () => {
    onLeave();
    open(dialog);
  };
  return (
    <p class="panel-actions">
      <Button label="Edit" onClick={openInstead(<EditRecord record={record} />)} />
      <Button label="Delete" onClick={openInstead(<DeleteRecords records={[record]} />)} />
    </p>
  );
}

function Parts({ record }: { record: EmissionRecord }) {
  const { recordedOn, calculation, reference, createdAt, updatedAt, id } = record;
  const days = new URLSearchParams({ from: recordedOn, to: recordedOn });
  return (
    <>
      <Details
        items={{
          ...describeRecord(record),
          Day: <a href={`/console/records?${days}`}>{writeDay(recordedOn)}</a>,
          Reference: reference,
          Added: <Moment at={createdAt} />,
          ...(updatedAt && { Changed: <Moment at={updatedAt} /> }),
          Identifier: id,
        }}
      />
      <h3>Calculation</h3>
      {calculation ? (
        <section class="card calculation" aria-label="Calculation">
          <ShownCalculation calculation={calculation} />
        </section>
      ) : (
        <p>The amount was given in tonnes, and not calculated.</p>
      )}
    </>
  );
}
