import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface DialogProps {
  readonly title: string;
  /** Called by the Escape key; without it the dialog stays until it is answered. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}

/** A dialog over the page. The browser keeps the keyboard inside it, and gives the focus back afterwards. */
export function Dialog({ title, onClose, children }: DialogProps) {
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
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={cancel}>
      <article>
        <h2 id={id}>{title}</h2>
        {children}
      </article>
    </dialog>
  );
}
