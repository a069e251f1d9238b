import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Field } from "../../../parts/fields/field.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { textOf } from "../../../parts/forms/values.js";
import { writeSum } from "../../../parts/numbers.js";
import { type EmissionRecord, nameOfRecord } from "../read-records.js";
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

const MOST_NAMED = 5;

/** Deletes records together, and asks for the reason. A single one must not have changed since it was listed. */
export function DeleteRecords({ records }: { records: readonly EmissionRecord[] }) {
  const [first, ...others] = records;
  const name = first && others.length === 0 ? nameOfRecord(first) : `${records.length} records`;
  const total = records.reduce((sum, { co2eTonnes }) => sum + co2eTonnes, 0);
  const remove = async (values: FormData): Promise<readonly EmissionRecord[]> => {
    const reason = textOf(values, "reason");
    if (first && others.length === 0) {
      await run(DELETE, { id: first.id, version: first.version, reason });
      return records;
    }
    const { deleteEmissionRecords } = await run(DELETE_ALL, {
      recordIds: records.map(({ id }) => id),
      reason,
    });
    const deleted = new Set(deleteEmissionRecords?.records.map(({ id }) => id));
    return records.filter(({ id }) => deleted.has(id));
  };
  return (
    <Confirm
      title={`Delete ${name}?`}
      action="Delete"
      onConfirm={remove}
      said={(deleted) => ({
        text: others.length === 0 ? `Deleted ${name}.` : `Deleted ${deleted.length} records.`,
        ...(deleted.length > 0 && { undo: () => restore(deleted) }),
      })}
    >
      {others.length > 0 && (
        <>
          <p>They have {writeSum(total)} tCO₂e in total:</p>
          <ul>
            {records.slice(0, MOST_NAMED).map((record) => (
              <li key={record.id}>{nameOfRecord(record)}</li>
            ))}
            {records.length > MOST_NAMED && <li>and {records.length - MOST_NAMED} more</li>}
          </ul>
        </>
      )}
      <p>
        {others.length === 0 ? "It" : "They"} will be removed from all totals. The audit trail keeps a copy
        with your reason.
      </p>
      <Field label="Reason" name="reason" required />
    </Confirm>
  );
}
