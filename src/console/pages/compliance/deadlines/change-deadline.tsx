import { type DeadlineStatus, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Select } from "../../../parts/fields/select.js";
import { Edit } from "../../../parts/forms/edit.js";
import { textOf } from "../../../parts/forms/values.js";
import { checkDeadline, DeadlineFields, readDeadline } from "./deadline-fields.js";
import { describeDeadline, type EditableDeadline, readPresent } from "./read-deadline.js";

const OPERATION = graphql(`
  mutation ConsoleUpdateDeadline($id: UUID!, $patch: DeadlinePatchInput!, $version: Int!) {
    updateDeadline(id: $id, patch: $patch, expectedVersion: $version) { id version }
  }
`);

const STATUSES: readonly DeadlineStatus[] = ["PENDING", "MISSED", "WAIVED"];

/** Changes a deadline that is not completed. */
export function ChangeDeadline({ deadline }: { deadline: EditableDeadline }) {
  const { id } = deadline;
  const save = async (values: FormData, before: EditableDeadline) => {
    const patch = changesOf(before, values);
    if (Object.keys(patch).length > 0) await run(OPERATION, { id, patch, version: before.version });
  };
  return (
    <Edit<EditableDeadline>
      title="Change a deadline"
      row={deadline}
      read={() => readPresent(id)}
      save={save}
      check={checkDeadline}
      describe={describeDeadline}
    >
      {(row) => (
        <>
          <DeadlineFields {...row} />
          <Select label="Status" name="status" options={STATUSES} value={row.status.toUpperCase()} />
        </>
      )}
    </Edit>
  );
}

function changesOf(before: EditableDeadline, values: FormData) {
  const { title, dueDate, recurrence } = readDeadline(values);
  const status = textOf(values, "status") as DeadlineStatus;
  return {
    ...(title !== before.title && { title }),
    ...(dueDate !== before.dueDate && { dueDate }),
    ...(recurrence !== before.recurrence && { recurrence }),
    ...(status !== before.status.toUpperCase() && { status }),
  };
}
