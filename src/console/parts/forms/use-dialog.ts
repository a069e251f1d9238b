import { useState } from "preact/hooks";

/** The subject of the open dialog, or null. Closing it calls `onClosed`, for example to reload the page's data. */
export function useDialog<Open>(onClosed: () => void) {
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => {
    setOpen(null);
    onClosed();
  };
  return { open, setOpen, close };
}
