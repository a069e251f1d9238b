import "./panel.css";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../button.js";
import { useId } from "../use-id.js";
import { Leave, useLeaving } from "./use-leaving.js";

interface DialogProps {
  readonly title: string;
  /** Called on Escape. If omitted, Escape does not close the dialog. */
  readonly onClose?: () => void;
  /** True if closing would discard more than the changed fields of forms. */
  readonly hasChanges?: boolean;
  /** True for a dialog wide enough for a table. */
  readonly isWide?: boolean;
  /** True for a full-height panel at the side of the page. */
  readonly isPanel?: boolean;
  readonly children: ComponentChildren;
}

/**
 * A modal dialog. The browser traps the focus in it and restores it afterwards. Asks before Escape, `Leave`, Back or a
 * reload discards changes.
 */
export function Dialog(props: DialogProps) {
  const { title, onClose, hasChanges = false, isWide = false, isPanel = false, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { leave, next, stay } = useLeaving(dialog, hasChanges, onClose);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  const cancel = (event: Event) => {
    event.preventDefault();
    if (onClose) leave(onClose);
  };
  // In a date field, Chromium fires `cancel` twice for one Escape, and closes the dialog at the second.
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.isComposing && !event.defaultPrevented) cancel(event);
  };
  // Browsers close a dialog at the second close request, even if the page prevents the first.
  const reopen = (event: Event) => {
    if (!dialog.current?.isConnected || dialog.current.open) return;
    dialog.current.showModal();
    cancel(event);
  };
  return (
    <dialog
      ref={dialog}
      class={isPanel ? "panel" : undefined}
      aria-labelledby={id}
      onKeyDown={press}
      // Closing a file picker without a file fires `cancel`, too.
      onCancel={(event) => event.target === event.currentTarget && cancel(event)}
      onClose={reopen}
    >
      <article class={isWide ? "wide" : undefined}>
        <h2 id={id}>{title}</h2>
        <Leave.Provider value={leave}>{children}</Leave.Provider>
      </article>
      {next && (
        <Dialog title="Discard your changes?" onClose={stay}>
          <p>What you entered here will be lost.</p>
          <div class="buttons">
            <Button label="Keep editing" look="secondary outline" onClick={stay} />
            <Button label="Discard" look="primary" onClick={next} />
          </div>
        </Dialog>
      )}
    </dialog>
  );
}
