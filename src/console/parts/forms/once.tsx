import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button } from "../button.js";
import { useId } from "../use-id.js";
import { Dialog } from "./dialog.js";
import { useDialog } from "./dialogs.js";

interface OnceDialogProps {
  readonly title: string;
  readonly intro: string;
  readonly label: string;
  readonly value: string;
  /** Label of the button that closes the dialog. */
  readonly done?: string;
  /** Closes the page's dialog by default. */
  readonly onClose?: () => void;
  /** Content below the secret. */
  readonly children?: ComponentChildren;
}

/** Shows a secret once, with a button that copies it. Stays open until the user closes it. */
export function OnceDialog({
  title,
  intro,
  label,
  value,
  done = "Done",
  onClose,
  children,
}: OnceDialogProps) {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const { close } = useDialog();
  const [said, say] = useState("");
  const copy = async () => {
    field.current?.select();
    // Browsers give pages no clipboard over plain http, except from localhost.
    const isCopied = await navigator.clipboard?.writeText(value).then(
      () => true,
      () => false,
    );
    say(isCopied ? "Copied." : "Selected: press Ctrl+C to copy.");
  };
  return (
    <Dialog title={title}>
      <p>{intro}</p>
      <div>
        <label for={id}>{label}</label>
        <div class="copy">
          <input ref={field} id={id} value={value} readOnly spellcheck={false} />
          <Button label="Copy" look="primary" onClick={copy} />
        </div>
        <small role="status">{said}</small>
      </div>
      {children}
      <div class="buttons">
        <Button label={done} look="primary" onClick={() => (onClose ?? close)()} />
      </div>
    </Dialog>
  );
}
