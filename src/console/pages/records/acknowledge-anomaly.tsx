import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { TextArea } from "../../parts/fields/field.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { optionalOf } from "../../parts/forms/values.js";
import { monthOf } from "../../parts/moment.js";

const ACKNOWLEDGE = graphql(`
  mutation ConsoleAcknowledgeAnomaly($anomalyId: String!, $note: String) {
    acknowledgeAnomaly(input: { anomalyId: $anomalyId, note: $note }) { acknowledgement { anomalyId } }
  }
`);

interface AcknowledgeAnomalyProps {
  readonly anomaly: { readonly anomalyId: string; readonly month: string; readonly explanation: string };
}

/** Dialog that acknowledges an anomaly, with a note. */
export function AcknowledgeAnomaly({ anomaly }: AcknowledgeAnomalyProps) {
  const { anomalyId, month, explanation } = anomaly;
  const acknowledge = (values: FormData) => run(ACKNOWLEDGE, { anomalyId, note: optionalOf(values, "note") });
  return (
    <Confirm title="Acknowledge an anomaly" action="Acknowledge" onConfirm={acknowledge}>
      <p>
        <strong>{monthOf(month)}</strong>: {explanation}. It is new again if its amount changes.
      </p>
      <TextArea label="Note" name="note" hint="What was learnt, up to 1,000 characters; may be left out" />
    </Confirm>
  );
}
