import { type ComponentChildren, isValidElement } from "preact";
import { useState } from "preact/hooks";
import { GatewayFailure, type Problem } from "../../gateway/failure.js";
import { Dialog } from "./dialog.js";
import { useDialog } from "./dialogs.js";
import { Form } from "./form.js";

interface ConfirmProps {
  readonly title: string;
  /** What the button does, in its own word. */
  readonly action: string;
  /** May return a dialog to show next, such as one with a new secret. */
  readonly onConfirm: (values: FormData) => Promise<unknown>;
  readonly check?: (values: FormData) => readonly Problem[];
  /** By default the page's dialog closes. */
  readonly onClose?: (() => void) | undefined;
  readonly children: ComponentChildren;
}

/** Asks before something is done, or for what it needs; closes when it is done. */
export function Confirm({ title, action, onConfirm, check, onClose, children }: ConfirmProps) {
  const { close } = useDialog();
  const leave = onClose ?? close;
  const confirm = async (values: FormData) => {
    const next = await onConfirm(values);
    leave(isValidElement(next) ? next : null);
  };
  return (
    <Dialog title={title} onClose={() => leave()}>
      <Form submit={action} onSubmit={confirm} onCancel={() => leave()} check={check}>
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
 * A question over a form before something that cannot be undone: what shows it, and a function that asks it. The function
 * throws if the person declines, so that the form keeps what was typed.
 */
export function useLastQuestion(title: string, action: string) {
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
