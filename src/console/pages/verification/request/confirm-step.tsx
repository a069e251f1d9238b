import { TextArea } from "../../../parts/fields/field.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { optionalOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";
import type { Request } from "../read-requests.js";
import { VerifierLink } from "../verifier-link.js";
import type { Step } from "./steps.js";

/** Takes a step of a request after a confirmation, and shows the link if the step creates one. */
export function ConfirmStep({ step, request }: { step: Step; request: Request }) {
  const { action, done, consequence, noteLabel, take } = step;
  const { id, version, number } = request;
  const send = async (values: FormData) => {
    const link = await take({ id, version }, optionalOf(values, "note"));
    showMessage({ text: `${number}: ${done}.` });
    return typeof link === "string" && <VerifierLink link={link} email={request.verifierEmail} />;
  };
  return (
    <Confirm title={`${action}: ${number}`} action={action} onConfirm={send}>
      <p>{consequence(request)}</p>
      {noteLabel !== undefined && (
        <TextArea label={noteLabel} name="note" hint="Visible to both sides in the history" />
      )}
    </Confirm>
  );
}
