import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Field } from "../../../parts/fields/field.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { textOf } from "../../../parts/forms/values.js";
import type { ListedRecord } from "../read-records.js";

const OPERATION = graphql(`
  mutation ConsoleDeleteRecord($id: UUID!, $reason: String!, $version: Int!) {
    deleteEmissionRecord(input: { id: $id, reason: $reason, expectedVersion: $version }) {
      emissionRecord { id }
    }
  }
`);

/** Deletes a record, and asks for the reason. */
export function DeleteRecord({ record: { id, recordedOn, version } }: { record: ListedRecord }) {
  return (
    <Confirm
      title={`Delete the record of ${recordedOn}`}
      action="Delete"
      onConfirm={(values) => run(OPERATION, { id, version, reason: textOf(values, "reason") })}
    >
      <p>It leaves every sum and list. The audit trail keeps it, with the reason.</p>
      <Field label="Reason" name="reason" required />
    </Confirm>
  );
}
