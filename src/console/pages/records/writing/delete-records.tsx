import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Field } from "../../../parts/fields/field.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { textOf } from "../../../parts/forms/values.js";
import { describeRecords, type EmissionRecord, nameOfRecord } from "../read-records.js";
import { restore } from "./undo.js";

/** Deletes one record. */
export const DELETE = graphql(`
  mutation ConsoleDeleteRecord($id: UUID!, $reason: String!, $version: Int!) {
    deleteEmissionRecord(input: { id: $id, reason: $reason, expectedVersion: $version }) {
      emissionRecord { id }
    }
  }
`);

const DELETE_ALL = graphql(`
  mutation ConsoleDeleteRecords($recordIds: [UUID!]!, $reason: String!) {
    deleteEmissionRecords(input: { recordIds: $recordIds, reason: $reason }) { records { id } }
  }
`);

/** Asks for a reason, then deletes records. A single record must not have changed since it was listed. */
export function DeleteRecords({ records }: { records: readonly EmissionRecord[] }) {
  const [first, ...others] = records;
  const single = others.length === 0 ? first : undefined;
  const remove = async (values: FormData): Promise<readonly EmissionRecord[]> => {
    const reason = textOf(values, "reason");
    if (single) {
      await run(DELETE, { id: single.id, version: single.version, reason });
      return records;
    }
    const { deleteEmissionRecords } = await run(DELETE_ALL, {
      recordIds: records.map(({ id }) => id),
      reason,
    });
    const deleted = new Set(deleteEmissionRecords?.records.map(({ id }) => id));
    return records.filter(({ id }) => deleted.has(id));
  };
  const name = single ? nameOfRecord(single) : describeRecords(records);
  const facilities = [...new Set(records.map(({ facility }) => facility?.name ?? "no facility"))];
  return (
    <Confirm
      title={`Delete ${name}?`}
      action="Delete"
      onConfirm={remove}
      successMessage={(deleted) => ({
        text: `${single ? name : describeRecords(deleted)} deleted.`,
        ...(deleted.length > 0 && { undo: () => restore(deleted) }),
      })}
    >
      {!single && <p>Facilities: {facilities.join("; ")}</p>}
      <p>
        {single ? "It" : "They"} will be removed from all totals. The audit trail keeps a copy with your
        reason.
      </p>
      <Field label="Reason" name="reason" required />
    </Confirm>
  );
}
