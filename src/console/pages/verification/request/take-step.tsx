import { TextArea } from "../../../parts/fields/field.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { OnceDialog } from "../../../parts/forms/once.js";
import { optionalOf } from "../../../parts/forms/values.js";
import type { Request } from "../read-requests.js";
import type { Step } from "./steps.js";

/** Takes a step of a request after a confirmation, and shows the link if the step creates one. */
export function TakeStep({ step, request }: { step: Step; request: Request }) {
  const { action, consequence, asks, take } = step;
  const { id, version, number } = request;
  const send = async (values: FormData) => {
    const made = await take({ id, version }, optionalOf(values, "note"));
    return typeof made === "string" && <VerifierLink link={made} email={request.verifierEmail} />;
  };
  return (
    <Confirm title={`${action}: ${number}`} action={action} onConfirm={send}>
      <p>{consequence(request)}</p>
      {asks !== undefined && <TextArea label={asks} name="note" hint="The history shows it to both sides" />}
    </Confirm>
  );
}

const VerifierLink = ({ link, email }: { link: string; email: string }) => (
  <OnceDialog
    title="Link for your verifier"
    intro="Send this link to your verifier. It works once, within 30 days. Copy it now: you won't be able to see it again."
    label="Link for your verifier"
    value={link}
  >
    <p class="quiet">If this gateway sends e-mails, it also mails the link to {email}.</p>
  </OnceDialog>
);
