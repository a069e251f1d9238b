import { useState } from "preact/hooks";
import { TextArea } from "../../../parts/fields/text-area.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { Form, textOf } from "../../../parts/forms/form.js";
import { OnceDialog } from "../../../parts/forms/once.js";
import type { Request } from "../read-requests.js";
import type { Step } from "./steps.js";

interface TakeStepProps {
  readonly step: Step;
  readonly request: Request;
  readonly onClose: () => void;
}

/** Takes a step of a request after a confirmation, and shows the link if the step creates one. */
export function TakeStep({ step, request, onClose }: TakeStepProps) {
  const { action, consequence, asks, take } = step;
  const { id, version, number } = request;
  const [link, setLink] = useState<string | null>(null);
  const send = async (values: FormData) => {
    const made = await take({ id, version }, textOf(values, "note").trim() || null);
    if (typeof made === "string") setLink(made);
    else onClose();
  };
  if (link !== null) return <VerifierLink link={link} email={request.verifierEmail} onClose={onClose} />;
  return (
    <Dialog title={`${action}: ${number}`} onClose={onClose}>
      <Form submit={action} onSubmit={send} onCancel={onClose}>
        <p>{consequence(request)}</p>
        {asks !== undefined && (
          <TextArea label={asks} name="note" hint="The history shows it to both sides" />
        )}
      </Form>
    </Dialog>
  );
}

interface VerifierLinkProps {
  readonly link: string;
  readonly email: string;
  readonly onClose: () => void;
}

function VerifierLink({ link, email, onClose }: VerifierLinkProps) {
  return (
    <OnceDialog
      title="Link for your verifier"
      intro="Send this link to your verifier. It works once, within 30 days. Copy it now: you won't be able to see it again."
      label="Link for your verifier"
      value={link}
      onClose={onClose}
    >
      <p class="quiet">If this gateway sends e-mails, it also mails the link to {email}.</p>
    </OnceDialog>
  );
}
