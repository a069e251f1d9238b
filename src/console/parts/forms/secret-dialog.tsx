import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../button.js";
import { useId } from "../use-id.js";
import { Dialog } from "./dialog.js";
import { useDialog } from "./dialogs.js";

interface CopyableProps {
  readonly label: string;
  readonly value: string;
  /** True for text with several lines, e.g. a command. */
  readonly isCommand?: boolean;
}

/** Text with a button that copies it. */
export function Copyable({ label, value, isCommand = false }: CopyableProps) {
  const id = useId();
  const [status, setStatus] = useState("");
  const copy = async () => {
    const element = document.getElementById(id);
    if (element instanceof HTMLInputElement) element.select();
    else if (element) getSelection()?.selectAllChildren(element);
    // Over plain http, browsers offer the clipboard only to localhost.
    const isCopied = await navigator.clipboard?.writeText(value).then(
      () => true,
      () => false,
    );
    setStatus(isCopied ? "Copied." : "Selected. Press Ctrl+C to copy.");
  };
  return (
    <div>
      {isCommand ? <p>{label}</p> : <label for={id}>{label}</label>}
      <div class="copy">
        {isCommand ? <pre id={id}>{value}</pre> : <input id={id} value={value} readOnly spellcheck={false} />}
        <Button
          label="Copy"
          aria-label={isCommand ? `Copy: ${label}` : "Copy"}
          look={isCommand ? "outline" : "primary"}
          onClick={copy}
        />
      </div>
      <small role="status">{status}</small>
    </div>
  );
}

interface SecretDialogProps {
  readonly title: string;
  readonly intro: string;
  readonly label: string;
  readonly value: string;
  /** Closes the page's dialog by default. */
  readonly onClose?: () => void;
  /** Content below the secret. */
  readonly children?: ComponentChildren;
}

/** Shows a secret once, with a button that copies it. Stays open until the user closes it. */
export function SecretDialog(props: SecretDialogProps) {
  const { title, intro, label, value, onClose, children } = props;
  const { close } = useDialog();
  return (
    <Dialog title={title}>
      <p>{intro}</p>
      <Copyable label={label} value={value} />
      {children}
      <div class="buttons">
        <Button label="Done" look="primary" onClick={() => (onClose ?? close)()} />
      </div>
    </Dialog>
  );
}
