import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { useAddress } from "../address.js";
import { Button, type Look } from "../button.js";
import { type Message, showMessage } from "../messages.js";

interface OpenDialog {
  readonly isOpen: boolean;
  /** Opens a dialog. Null closes the open one without calling `onClosed`. */
  open(dialog: ComponentChildren): void;
  /** Closes the dialog without a change, and calls the page's `onClosed`. */
  close(): void;
  /**
   * Calls the page's `onClosed` after a change. Once that ends, closes the dialog or opens `next` in its place, so that
   * the next change starts from current data.
   */
  finish(next?: ComponentChildren): Promise<void>;
  /** Shows a message after a write. Its "Undo" also calls the page's `onClosed`. */
  report(message: Message): void;
}

const nothing = () => undefined;
const OpenDialogContext = createContext<OpenDialog>({
  isOpen: false,
  open: nothing,
  close: nothing,
  finish: async () => undefined,
  report: showMessage,
});

/** Returns the dialog of the page that contains a component. */
export const useDialog = (): OpenDialog => useContext(OpenDialogContext);

interface DialogsProps {
  /** Called after a change, after its undo, and when a dialog closes without one; e.g. reloads the page's data. */
  readonly onClosed?: () => unknown;
  readonly children: ComponentChildren;
}

/** Part of a page that can open dialogs, one at a time. */
export function Dialogs({ onClosed, children }: DialogsProps) {
  const [dialog, setDialog] = useState<ComponentChildren>(null);
  const close = () => {
    setDialog(null);
    onClosed?.();
  };
  const finish = async (next: ComponentChildren = null) => {
    await onClosed?.();
    // The user may have opened another dialog in the meantime.
    setDialog((open) => next ?? (open === dialog ? null : open));
  };
  const report = ({ undo, ...message }: Message) =>
    showMessage({ ...message, ...(undo && { undo: () => undo().finally(onClosed) }) });
  return (
    <OpenDialogContext.Provider value={{ isOpen: dialog !== null, open: setDialog, close, finish, report }}>
      {children}
      {dialog}
    </OpenDialogContext.Provider>
  );
}

interface DialogButtonProps {
  readonly label: string;
  readonly look?: Look;
  readonly opens: ComponentChildren;
  /** Query parameter that opens the dialog, so that other pages can link to it. */
  readonly parameter?: string;
}

/** A button that opens a dialog. */
export function DialogButton({ opens, parameter = "", ...button }: DialogButtonProps) {
  const { open } = useDialog();
  const { query, change } = useAddress();
  const isRequested = parameter in query;
  useEffect(() => {
    if (!isRequested) return;
    open(opens);
    change({ [parameter]: "" }, true);
  }, [isRequested]);
  return <Button {...button} aria-haspopup="dialog" onClick={() => open(opens)} />;
}
