import { graphql } from "../../../../generated/console.js";
import type { Problem } from "../../../gateway/failure.js";
import { run } from "../../../gateway/run.js";
import { todayInUtc } from "../../../parts/days.js";
import { Field, TextArea } from "../../../parts/fields/field.js";
import { Edit } from "../../../parts/forms/edit.js";
import { need, optionalOf, textOf } from "../../../parts/forms/values.js";
import { FRAMEWORK_NAMES } from "../../../parts/frameworks.js";
import { showMessage } from "../../../parts/messages.js";
import { writeDay } from "../../../parts/moment.js";
import { EVERY } from "./deadline-fields.js";
import { describeDeadline, type EditableDeadline, readCurrent } from "./read-deadline.js";

const COMPLETE = graphql(`
  mutation ConsoleCompleteDeadline($id: UUID!, $completedOn: Date!, $evidence: String, $version: Int!) {
    completeDeadline(
      input: { id: $id, completedOn: $completedOn, evidence: $evidence, expectedVersion: $version }
    ) { deadline { id } }
  }
`);

const READ_PENDING = graphql(`
  query ConsolePendingDeadlines($framework: Framework!, $from: Date!) {
    compliance {
      deadlines(filter: { frameworks: [$framework], dueFrom: $from, statuses: ["pending"] }, first: 100) {
        nodes { title dueDate }
      }
    }
  }
`);

/** Completes a deadline, and shows the due date of the next one if it recurs. */
export function CompleteDeadline({ deadline }: { deadline: EditableDeadline }) {
  const { id, framework, title, dueDate, recurrence } = deadline;
  const complete = async (values: FormData, { version }: EditableDeadline) => {
    const completedOn = textOf(values, "completedOn");
    const evidence = optionalOf(values, "evidence");
    await run(COMPLETE, { id, completedOn, evidence, version });
    const next = recurrence && (await readNext(deadline));
    showMessage({
      text: `"${title}" completed.${next ? ` The next one is due on ${writeDay(next)}.` : ""}`,
    });
  };
  return (
    <Edit<EditableDeadline>
      title="Complete deadline"
      action="Complete"
      row={deadline}
      read={() => readCurrent(id)}
      save={complete}
      check={checkDay}
      describe={describeDeadline}
    >
      {() => (
        <>
          <p>
            <strong>{title}</strong>, due on {writeDay(dueDate)}: {FRAMEWORK_NAMES[framework]}.{" "}
            {recurrence && `It repeats ${EVERY[recurrence]}: completing it adds the next one. `}You can't
            change a completed deadline.
          </p>
          <Field label="Completed on" name="completedOn" type="date" value={todayInUtc()} />
          <TextArea label="Evidence" name="evidence" hint="For example, a receipt number" />
        </>
      )}
    </Edit>
  );
}

const checkDay = (values: FormData): readonly Problem[] =>
  need("completedOn", textOf(values, "completedOn") !== "", "Choose a date.");

/** Reads the due date of the next pending deadline with the same title; undefined if it is not found. */
async function readNext({ framework, title, dueDate }: EditableDeadline): Promise<string | undefined> {
  const { compliance } = await run(READ_PENDING, { framework, from: dueDate });
  return compliance?.deadlines.nodes.find((one) => one.title === title)?.dueDate;
}
