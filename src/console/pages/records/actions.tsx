import type { ComponentChildren } from "preact";
import { Button } from "../../parts/button.js";
import { useDialog } from "../../parts/forms/dialogs.js";
import { lazy } from "../../parts/lazy.js";
import type { EmissionRecord } from "./read-records.js";
import { DeleteRecords } from "./writing/delete-records.js";

const EditRecord = lazy<{ record: EmissionRecord }>(
  async () => (await import("./writing/edit-record.js")).EditRecord,
);

interface RecordActionsProps {
  readonly record: EmissionRecord;
  /** Called before a dialog opens. */
  readonly onOpen?: () => void;
}

/** The buttons that edit and delete a record. */
export function RecordActions({ record, onOpen }: RecordActionsProps) {
  const { open } = useDialog();
  const show = (dialog: ComponentChildren) => () => {
    onOpen?.();
    open(dialog);
  };
  return (
    <>
      <Button
        label="Edit"
        look="quiet"
        aria-haspopup="dialog"
        onClick={show(<EditRecord record={record} />)}
      />
      <Button
        label="Delete"
        look="quiet"
        aria-haspopup="dialog"
        onClick={show(<DeleteRecords records={[record]} />)}
      />
    </>
  );
}
