import { type ConsoleUndoImportMutation, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";

const OPERATION = graphql(`
  mutation ConsoleUndoImport($id: UUID!) {
    undoImport(id: $id) { import { file } removed restored kept facilitiesRemoved }
  }
`);

/** What undoing an import changed. */
export type UndoneImport = NonNullable<ConsoleUndoImportMutation["undoImport"]>;

interface UndoImportProps {
  readonly id: string;
  readonly file: string;
  readonly onUndone: (undone: UndoneImport) => void;
  readonly onClose: () => void;
}

/** Undoes an import after a last question. */
export function UndoImport({ id, file, onUndone, onClose }: UndoImportProps) {
  const undo = async () => {
    const { undoImport } = await run(OPERATION, { id });
    if (undoImport) onUndone(undoImport);
  };
  return (
    <Confirm title={`Undo the import of ${file}`} action="Undo" onConfirm={undo} onClose={onClose}>
      <p>
        The records that it added are removed, and those that it changed become what they were. Records that
        were changed since stay as they are.
      </p>
    </Confirm>
  );
}
