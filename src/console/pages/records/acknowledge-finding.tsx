import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { TextArea } from "../../parts/fields/field.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { optionalOf } from "../../parts/forms/values.js";
import { monthOf } from "../../parts/moment.js";

const ACKNOWLEDGE = graphql(`
  mutation ConsoleAcknowledgeFinding($findingId: String!, $note: String) {
    acknowledgeAnomaly(input: { findingId: $findingId, note: $note }) { acknowledgement { findingId } }
  }
`);

interface AcknowledgeFindingProps {
  readonly finding: { readonly findingId: string; readonly month: string; readonly explanation: string };
}

/** Marks a finding as looked at, with what was learnt. */
export function AcknowledgeFinding({ finding }: AcknowledgeFindingProps) {
  const { findingId, month, explanation } = finding;
  const acknowledge = (values: FormData) => run(ACKNOWLEDGE, { findingId, note: optionalOf(values, "note") });
  return (
    <Confirm title="Acknowledge a finding" action="Acknowledge" onConfirm={acknowledge}>
      <p>
        <strong>{monthOf(month)}</strong>: {explanation}. It is new again if its amount changes.
      </p>
      <TextArea label="Note" name="note" hint="What was learnt, up to 1,000 characters; may be left out" />
    </Confirm>
  );
}
