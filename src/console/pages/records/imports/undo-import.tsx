import { countOf } from "../../../../domain/texts/count-of.js";
import { type ConsoleUndoImportMutation, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";

export const UNDO_IMPORT = graphql(`
  mutation ConsoleUndoImport($id: UUID!) {
    undoImport(input: { id: $id }) { import { file } removed restored kept facilitiesRemoved }
  }
`);

/** Undoes an import after a confirmation. */
export function UndoImport({ id, file }: { id: string; file: string }) {
  return (
    <Confirm
      title={`Undo the import of ${file}?`}
      action="Undo"
      onConfirm={() => run(UNDO_IMPORT, { id })}
      successMessage={({ undoImport }) => undoImport && { text: describe(undoImport) }}
    >
      <p>
        This removes the records it added and restores those it changed. Records edited since then are kept.
      </p>
    </Confirm>
  );
}

type Undone = NonNullable<ConsoleUndoImportMutation["undoImport"]>;

const describe = ({ import: { file }, removed, restored, kept }: Undone) =>
  `${file} undone: ${countOf(removed, "record")} removed, ${restored} restored, ${kept} kept because of later edits.`;
