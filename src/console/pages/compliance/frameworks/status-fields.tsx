import { type Framework, type FrameworkStatus, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { TextArea } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { optionalOf, textOf } from "../../../parts/forms/values.js";
import { FRAMEWORK_NAMES } from "../../../parts/frameworks.js";
import { showMessage } from "../../../parts/messages.js";
import { nameOf } from "../../../parts/names.js";

const SET_STATUS = graphql(`
  mutation ConsoleSetFrameworkStatus(
    $framework: Framework!, $status: FrameworkStatus!, $note: String, $version: Int!
  ) {
    setFrameworkStatus(
      input: { framework: $framework, status: $status, note: $note, expectedVersion: $version }
    ) {
      frameworkState {
        framework
        version
      }
    }
  }
`);

const STATUSES: readonly FrameworkStatus[] = [
  "COMPLIANT",
  "ACTION_REQUIRED",
  "PENDING_REVIEW",
  "NOT_APPLICABLE",
];

interface StatusFieldsProps {
  readonly status?: FrameworkStatus;
  readonly note?: string | null;
}

/** The fields of a framework's status. */
export const StatusFields = ({ status = "PENDING_REVIEW", note }: StatusFieldsProps) => (
  <>
    <Select label="Status" name="status" options={STATUSES} value={status} />
    <TextArea label="Note" name="note" value={note ?? ""} hint="For example, what is left to do" />
  </>
);

/** Sets the status from the form. `version` is 0 for a framework that is not registered yet. */
export async function setStatus(framework: Framework, version: number, values: FormData): Promise<void> {
  const status = textOf(values, "status") as FrameworkStatus;
  await run(SET_STATUS, { framework, version, status, note: optionalOf(values, "note") });
  showMessage({ text: `${FRAMEWORK_NAMES[framework]}: ${nameOf(status).toLowerCase()}.` });
}
