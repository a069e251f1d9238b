import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { TextArea } from "../../parts/fields/field.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { optionalOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";

const ACKNOWLEDGE = graphql(`
  mutation ConsoleAcknowledgeAnomaly($anomalyId: String!, $note: String) {
    acknowledgeAnomaly(input: { anomalyId: $anomalyId, note: $note }) { acknowledgement { anomalyId } }
  }
`);

const WITHDRAW = graphql(`
  mutation ConsoleWithdrawAcknowledgement($anomalyId: String!) {
    withdrawAcknowledgement(input: { anomalyId: $anomalyId }) { acknowledgement { anomalyId } }
  }
`);

interface AnomalyProps {
  readonly anomalyId: string;
  readonly month: string;
  readonly series: string;
  /** The anomaly in words. */
  readonly sentence: string;
  /** Reloads the list after an undo. */
  readonly reload: () => void;
}

/** Dialog that acknowledges an anomaly. */
export function AcknowledgeAnomaly({ anomalyId, month, series, sentence, reload }: AnomalyProps) {
  const acknowledge = async (values: FormData) => {
    await run(ACKNOWLEDGE, { anomalyId, note: optionalOf(values, "note") });
    const undo = () => run(WITHDRAW, { anomalyId }).then(reload);
    showMessage({ text: `Acknowledged: ${month}, ${series}.`, undo });
  };
  return (
    <Confirm title="Acknowledge unusual month" action="Acknowledge" onConfirm={acknowledge}>
      <p>
        <strong>{sentence}</strong>, {series}. It will come up for review again if its amount changes.
      </p>
      <TextArea label="Note" name="note" hint="Optional. The cause, if you know it. Up to 1,000 characters" />
    </Confirm>
  );
}

/** Dialog that withdraws the acknowledgement of an anomaly. */
export function WithdrawAcknowledgement({ anomalyId, month, series, sentence }: AnomalyProps) {
  const withdraw = async () => {
    await run(WITHDRAW, { anomalyId });
    showMessage({ text: `Back on the review list: ${month}, ${series}.` });
  };
  return (
    <Confirm title="Withdraw acknowledgement" action="Withdraw" onConfirm={withdraw}>
      <p>
        <strong>{sentence}</strong>, {series}. It will come up for review again. The audit trail keeps the
        note and who acknowledged it.
      </p>
    </Confirm>
  );
}
