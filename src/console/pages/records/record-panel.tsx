import type { ComponentChildren } from "preact";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { Button } from "../../parts/button.js";
import { Details } from "../../parts/details.js";
import { Dialog } from "../../parts/forms/dialog.js";
import { Moment, writeDay } from "../../parts/moment.js";
import { Loaded } from "../../parts/states.js";
import { RecordActions } from "./actions.js";
import { RecordHistory } from "./history.js";
import { type Lock, LockLink, type LockOf } from "./locks.js";
import { describeRecord, type EmissionRecord, nameOfRecord, READ_RECORD } from "./read-records.js";
import { CalculationDetails } from "./writing/calculation.js";

/** The panel of the record in the address: its data, calculation, lock and history. */
export function RecordPanel({ id, lockOf }: { id: string; lockOf: LockOf | undefined }) {
  const { change } = useAddress();
  const leave = () => change({ record: "" });
  const answer = useQuery(READ_RECORD, { id });
  const record = answer.data?.emissionRecord;
  return (
    <Dialog title={record ? nameOfRecord(record) : "Record"} onClose={leave} isPanel>
      <Loaded answer={{ ...answer, data: lockOf && answer.data }} skeleton="short">
        {({ emissionRecord }) =>
          emissionRecord && lockOf ? (
            <>
              <ActionsOrLock lock={lockOf(emissionRecord)}>
                <RecordActions record={emissionRecord} onOpen={leave} />
              </ActionsOrLock>
              <RecordDetails record={emissionRecord} />
            </>
          ) : (
            <p>Record not found. Someone may have deleted it.</p>
          )
        }
      </Loaded>
      <RecordHistory id={id} />
      <div class="buttons">
        <Button label="Close" look="primary" onClick={leave} />
      </div>
    </Dialog>
  );
}

/** The lock of a record, or else the buttons that edit and delete the record. Their dialogs replace the panel. */
function ActionsOrLock({ lock, children }: { lock: Lock | undefined; children: ComponentChildren }) {
  const mayWrite = useScope("write:emissions");
  if (!lock) return mayWrite ? <p>{children}</p> : null;
  return (
    <p>
      <LockLink lock={lock} /> by verification request {lock.number}. You can't edit or delete this record
      while it is locked.
    </p>
  );
}

function RecordDetails({ record }: { record: EmissionRecord }) {
  const { recordedOn, calculation, reference, createdAt, updatedAt, id } = record;
  const days = new URLSearchParams({ from: recordedOn, to: recordedOn });
  return (
    <>
      <Details
        items={{
          ...describeRecord(record),
          Date: <a href={`/console/records?${days}`}>{writeDay(recordedOn)}</a>,
          Reference: reference,
          Added: <Moment at={createdAt} />,
          ...(updatedAt && { Changed: <Moment at={updatedAt} /> }),
          Identifier: id,
        }}
      />
      <h3>Calculation</h3>
      {calculation ? (
        <section class="card calculation" aria-label="Calculation">
          <CalculationDetails calculation={calculation} />
        </section>
      ) : (
        <p>The amount was entered in tonnes, not calculated.</p>
      )}
    </>
  );
}
