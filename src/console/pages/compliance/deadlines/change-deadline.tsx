import { type DeadlineStatus, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Select } from "../../../parts/fields/select.js";
import { Edit } from "../../../parts/forms/edit.js";
import { changesOf, textOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";
import { checkDeadline, DeadlineFields, readDeadline } from "./deadline-fields.js";
import { describeDeadline, type EditableDeadline, readCurrent } from "./read-deadline.js";

const OPERATION = graphql(`
  mutation ConsoleUpdateDeadline($input: UpdateDeadlineInput!) {
    updateDeadline(input: $input) { deadline { id version } }
  }
`);

const STATUSES: readonly DeadlineStatus[] = ["PENDING", "MISSED", "WAIVED"];

/** Edits a deadline that is not completed. */
export function ChangeDeadline({ deadline }: { deadline: EditableDeadline }) {
  const { id } = deadline;
  const save = async (values: FormData, before: EditableDeadline) => {
    const status = textOf(values, "status") as DeadlineStatus;
    const changes = changesOf(fieldsOf(before), { ...readDeadline(values), status });
    if (Object.keys(changes).length === 0) return;
    await run(OPERATION, { input: { id, ...changes, expectedVersion: before.version } });
    showMessage({ text: `"${textOf(values, "title").trim()}" saved.` });
  };
  return (
    <Edit<EditableDeadline>
      title="Edit deadline"
      row={deadline}
      read={() => readCurrent(id)}
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

const fieldsOf = ({ title, dueDate, recurrence, owner, status }: EditableDeadline) => ({
  title,
  dueDate,
  recurrence,
  owner,
  status: status.toUpperCase() as DeadlineStatus,
});
