import "./panel.css";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useId } from "../use-id.js";

interface DialogProps {
  readonly title: string;
  /** Called by the Escape key; without it the dialog stays open until the user answers it. */
  readonly onClose?: () => void;
  /** True if it is wide enough for a table. */
  readonly isWide?: boolean;
  /** True if it is a panel at the side of the page, as high as the window. */
  readonly isPanel?: boolean;
  readonly children: ComponentChildren;
}

/** A dialog over the page. The browser traps the keyboard in it, and restores the focus afterwards. */
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
