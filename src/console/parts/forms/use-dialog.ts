import { useState } from "preact/hooks";

/** What a dialog is open for, null for none; closing it calls `onClosed`, such as to read the page's data again. */
export function useDialog<Open>(onClosed: () => void) {
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => {
    setOpen(null);
    onClosed();
  };
  return { open, setOpen, close };
}
