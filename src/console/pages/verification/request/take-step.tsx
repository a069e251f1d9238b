import { TextArea } from "../../../parts/fields/text-area.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { textOf } from "../../../parts/forms/form.js";
import type { Request } from "../read-requests.js";
import type { Step } from "./steps.js";

interface TakeStepProps {
  readonly step: Step;
  readonly request: Request;
  readonly onClose: () => void;
}

/** Takes a step of a request, after a question that says what it does. */
export function TakeStep({ step, request, onClose }: TakeStepProps) {
  const { action, consequence, asks, take } = step;
  const { id, version, number } = request;
  return (
    <Confirm
      title={`${action}: ${number}`}
      action={action}
      onConfirm={(values) => take({ id, version }, textOf(values, "note").trim() || null)}
      onClose={onClose}
    >
      <p>{consequence(request)}</p>
      {asks !== undefined && <TextArea label={asks} name="note" hint="The history shows it to both sides" />}
    </Confirm>
  );
}
