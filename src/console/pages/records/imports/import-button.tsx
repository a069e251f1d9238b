import type { Look } from "../../../parts/button.js";
import { DialogButton, useDialog } from "../../../parts/forms/dialogs.js";
import { lazy } from "../../../parts/lazy.js";
import { useDroppedFile } from "./use-dropped-file.js";

const ImportFile = lazy<{ dropped: File | null }>(async () => (await import("./import-file.js")).ImportFile);

/** Opens the import dialog. Dropping a file on the page opens it too, unless a dialog is open. */
export function ImportButton({ look = "secondary outline" }: { look?: Look }) {
  const { isOpen, open } = useDialog();
  useDroppedFile(!isOpen, (file) => open(<ImportFile dropped={file} />));
  return (
    <DialogButton
      label="Import a file"
      look={look}
      parameter="import"
      opens={<ImportFile dropped={null} />}
    />
  );
}
