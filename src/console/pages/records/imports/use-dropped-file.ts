import { useEffect } from "preact/hooks";

/** Calls `onFile` with a file dropped anywhere on the page, which the browser would otherwise open. */
export function useDroppedFile(isWanted: boolean, onFile: (file: File) => void): void {
  useEffect(() => {
    if (!isWanted) return;
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      const [file] = event.dataTransfer?.files ?? [];
      if (file === undefined) return;
      event.preventDefault();
      onFile(file);
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  }, [isWanted, onFile]);
}
