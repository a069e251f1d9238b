import { type ComponentChildren, isValidElement } from "preact";
import { useState } from "preact/hooks";
import { GatewayFailure, type Problem } from "../../gateway/failure.js";
import type { Message } from "../messages.js";
import { Dialog } from "./dialog.js";
import { useDialog } from "./dialogs.js";
import { Form } from "./form.js";

interface ConfirmProps<Result> {
  readonly title: string;
  /** Label of the button: the action that the dialog confirms. */
  readonly action: string;
  /** May return a dialog to show next, e.g. one with a new secret, unless `onClose` is set. */
  readonly onConfirm: (values: FormData) => Promise<Result>;
  /** The message to show after the action. */
  readonly successMessage?: string | ((result: Result) => Message | null | undefined);
  readonly check?: ((values: FormData) => readonly Problem[]) | undefined;
  /** Closes the page's dialog by default. */
  readonly onClose?: (() => void) | undefined;
  readonly children: ComponentChildren;
}

/** A dialog that confirms an action or asks for its input. Closes after the action. */
export function Confirm<Result>(props: ConfirmProps<Result>) {
  const { title, action, onConfirm, successMessage, check, onClose, children } = props;
  const { close, finish, report } = useDialog();
  const cancel = onClose ?? close;
  const confirm = async (values: FormData) => {
    const next = await onConfirm(values);
    if (onClose) onClose();
    else await finish(isValidElement(next) ? next : null);
    const message = typeof successMessage === "string" ? { text: successMessage } : successMessage?.(next);
    if (message) report(message);
  };
  return (
    <Dialog title={title} onClose={cancel}>
      <Form submit={action} onSubmit={confirm} onCancel={cancel} check={check}>
        {children}
      </Form>
    </Dialog>
  );
}

interface Asked {
  readonly question: ComponentChildren;
  readonly answer: (isWanted: boolean) => void;
}

/**
 * Asks for a final confirmation in a dialog over a form. Returns the open dialog and a function that opens it. The
 * function throws if the user declines, so that the form keeps its values.
 */
export function useFinalConfirmation(title: string, action: string) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const ask = async (question: ComponentChildren): Promise<void> => {
    const isWanted = await new Promise<boolean>((answer) => setAsked({ question, answer }));
    setAsked(null);
    if (!isWanted) throw new GatewayFailure("DECLINED", "Nothing was changed.");
  };
  const shown = asked && (
    <Confirm
      title={title}
      action={action}
      onConfirm={async () => asked.answer(true)}
      onClose={() => asked.answer(false)}
    >
      {asked.question}
    </Confirm>
  );
  return { shown, ask };
}
