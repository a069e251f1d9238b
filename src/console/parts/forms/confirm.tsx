import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.js";
import { Form } from "./form.js";

interface ConfirmProps {
  readonly title: string;
  /** What the button does, in its own word. */
  readonly action: string;
  readonly onConfirm: (values: FormData) => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Asks before something is done, or for what it needs; closes when it is done. */
export function Confirm({ title, action, onConfirm, onClose, children }: ConfirmProps) {
  const confirm = async (values: FormData) => {
    await onConfirm(values);
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form submit={action} onSubmit={confirm} onCancel={onClose}>
        {children}
      </Form>
    </Dialog>
  );
}
