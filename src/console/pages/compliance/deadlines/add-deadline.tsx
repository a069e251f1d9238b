import { type Framework, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { optionalOf, textOf } from "../../../parts/forms/values.js";
import { FRAMEWORK_NAMES } from "../../../parts/frameworks.js";
import { showMessage } from "../../../parts/messages.js";
import { writeDay } from "../../../parts/moment.js";
import { checkDeadline, DeadlineFields, readDeadline } from "./deadline-fields.js";

const OPERATION = graphql(`
  mutation ConsoleCreateDeadline($input: CreateDeadlineInput!) {
    createDeadline(input: $input) { deadline { id } }
  }
`);

/** The form for a new deadline. */
export function AddDeadline() {
  const add = async (values: FormData) => {
    const framework = textOf(values, "framework") as Framework;
    const [source, sourceUrl] = [optionalOf(values, "source"), optionalOf(values, "sourceUrl")];
    const deadline = readDeadline(values);
    await run(OPERATION, { input: { framework, source, sourceUrl, ...deadline } });
    showMessage({ text: `"${deadline.title}" added, due on ${writeDay(deadline.dueDate)}.` });
  };
  return (
    <Confirm title="Add deadline" action="Add" onConfirm={add} check={checkDeadline}>
      <Select label="Framework" name="framework" options={FRAMEWORK_NAMES} />
      <DeadlineFields title="" dueDate="" recurrence={null} owner={null} />
      <Field
        label="Source"
        name="source"
        hint="Document that sets the date, e.g. the name of the regulation"
      />
      <Field label="Link to the source" name="sourceUrl" type="url" />
    </Confirm>
  );
}
