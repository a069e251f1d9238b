import { type FrameworkStatus, graphql } from "../../../../generated/console.js";
import { TextArea } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { optionalOf, textOf } from "../../../parts/forms/values.js";

/** Sets a status; `version` is 0 for a framework without a registration. */
export const SET_STATUS = graphql(`
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
    <TextArea
      label="Note"
      name="note"
      value={note ?? ""}
      hint="What is to be said about the status, such as what is left to do"
    />
  </>
);

/** Reads the status in a form. */
export const readStatus = (values: FormData) => ({
  status: textOf(values, "status") as FrameworkStatus,
  note: optionalOf(values, "note"),
});
