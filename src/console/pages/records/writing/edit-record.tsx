import {
  type ConsoleUpdateRecordMutation,
  graphql,
  type UpdateEmissionRecordInput,
} from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Edit } from "../../../parts/forms/edit.js";
import { changesOf } from "../../../parts/forms/values.js";
import type { Message } from "../../../parts/messages.js";
import {
  describeRecord,
  type EmissionRecord,
  linkToRecord,
  nameOfRecord,
  READ_RECORD,
} from "../read-records.js";
import { RecordFields } from "./record-fields.js";
import { checkRecordForm, placeRecordFailure, readRecordForm } from "./record-form.js";
import { amountOf, partsOf } from "./undo.js";
import { useUnusualQuestion } from "./unusual-question.js";
import { WithFacility } from "./with-facility.js";

const UPDATE = graphql(`
  mutation ConsoleUpdateRecord($input: UpdateEmissionRecordInput!) {
    updateEmissionRecord(input: $input) {
      emissionRecord { id recordedOn co2eTonnes facility { name } version }
    }
  }
`);

export function EditRecord({ record }: { record: EmissionRecord }) {
  const { id } = record;
  const { shown, save } = useUnusualQuestion();
  const change = async (values: FormData, before: EmissionRecord, current: EmissionRecord) => {
    const changes = patchOf(before, readRecordForm(values));
    if (Object.keys(changes).length === 0) return undefined;
    try {
      const input = { id, ...changes, expectedVersion: before.version };
      const { updateEmissionRecord } = await save((accept) => run(UPDATE, { input: { ...input, accept } }));
      return updateEmissionRecord && { changed: updateEmissionRecord.emissionRecord, changes, current };
    } catch (failure) {
      throw placeRecordFailure(failure);
    }
  };
  return (
    <WithFacility facility={record.facility}>
      {(choice) => (
        <>
          <Edit<EmissionRecord, Saved | null | undefined>
            title={`Edit ${nameOfRecord(record)}`}
            row={record}
            read={async () => (await run(READ_RECORD, { id })).emissionRecord}
            save={change}
            successMessage={(saved) => saved && describeSaved(saved)}
            check={checkRecordForm}
            describe={describeRecord}
          >
            {(current) => <RecordFields record={current} {...choice} />}
          </Edit>
          {shown}
        </>
      )}
    </WithFacility>
  );
}

type Patch = Omit<UpdateEmissionRecordInput, "id">;

interface Saved {
  readonly changed: NonNullable<ConsoleUpdateRecordMutation["updateEmissionRecord"]>["emissionRecord"];
  readonly changes: Patch;
  /** The record before the change. */
  readonly current: EmissionRecord;
}

/** Describes a change, with an undo that restores the previous values. */
function describeSaved({ changed, changes, current }: Saved): Message {
  const { id, version } = changed;
  const former = Object.entries(partsOf(current)).filter(([name]) => name in changes);
  const isAmount = "activity" in changes || "co2eTonnes" in changes;
  const parts: Patch = {
    ...Object.fromEntries(former),
    ...(isAmount && { ...amountOf(current), energyKwh: current.energyKwhExact }),
  };
  return {
    text: `${nameOfRecord(changed)} saved.`,
    link: { label: "Show record", href: linkToRecord(id) },
    undo: () =>
      run(UPDATE, { input: { id, ...parts, expectedVersion: version, accept: ["RECORD_UNUSUAL"] } }),
  };
}

/** Returns the changed fields. The gateway does not recalculate an unchanged activity. */
function patchOf(
  before: EmissionRecord,
  { activity, co2eTonnes, ...parts }: ReturnType<typeof readRecordForm>,
): Patch {
  const amount: Pick<Patch, "activity" | "co2eTonnes"> = amountOf(before);
  return {
    ...changesOf(partsOf(before), parts),
    ...(co2eTonnes !== null && changesOf({ co2eTonnes: amount.co2eTonnes }, { co2eTonnes })),
    ...(activity !== null && changesOf({ activity: amount.activity }, { activity })),
  };
}
