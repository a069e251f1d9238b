import "./panel.css";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useId } from "../use-id.js";

interface DialogProps {
  readonly title: string;
  /** Called on Escape. If omitted, Escape does not close the dialog. */
  readonly onClose?: () => void;
  /** True for a dialog wide enough for a table. */
  readonly isWide?: boolean;
  /** True for a full-height panel at the side of the page. */
  readonly isPanel?: boolean;
  readonly children: ComponentChildren;
}

/** A modal dialog. The browser traps the focus in it and restores it afterwards. */
export function Dialog({ title, onClose, isWide = false, isPanel = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  const cancel = (event: Event) => {
    event.preventDefault();
    onClose?.();
  };
  // Browsers close a dialog at the second Escape, even if the page prevents the first.
  const reopen = () => dialog.current?.isConnected && !dialog.current.open && dialog.current.showModal();
  return (
    <dialog
      ref={dialog}
      class={isPanel ? "panel" : undefined}
      aria-labelledby={id}
      onCancel={cancel}
      onClose={reopen}
    >
      <article class={isWide ? "wide" : undefined}>
        <h2 id={id}>{title}</h2>
        {children}
      </article>
    </dialog>
  );
}
