import { useState } from "preact/hooks";
import { type ConsoleImportsQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { useDialog } from "../../parts/forms/use-dialog.js";
import { Moment } from "../../parts/moment.js";
import { Exact } from "../../parts/numbers.js";
import { Paging } from "../../parts/paging.js";
import { Empty, Shown } from "../../parts/states.js";
import { Table } from "../../parts/table.js";
import { UndoImport, type UndoneImport } from "./imports/undo-import.js";

const OPERATION = graphql(`
  query ConsoleImports($after: String) {
    imports(first: 25, after: $after) {
      nodes { id file importedAt added updated unchanged facilitiesCreated undoneAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

type Import = NonNullable<ConsoleImportsQuery["imports"]>["nodes"][number];

/** The files that were imported, and the way to undo each. */
export function Imports() {
  const { after = null } = useAddress().query;
  const answer = useQuery(OPERATION, { after });
  const mayWrite = useScope("write:emissions");
  const { open: undoing, setOpen: setUndoing, close } = useDialog<Import>(answer.reload);
  const [undone, setUndone] = useState<UndoneImport | null>(null);
  return (
    <>
      <p role="status">{undone && describe(undone)}</p>
      <Shown answer={answer} as="table">
        {({ imports }) =>
          imports && (
            <>
              <ImportTable imports={imports.nodes} onUndo={mayWrite ? setUndoing : null} />
              <Paging pageInfo={imports.pageInfo} />
            </>
          )
        }
      </Shown>
      {undoing && <UndoImport id={undoing.id} file={undoing.file} onUndone={setUndone} onClose={close} />}
    </>
  );
}

const describe = ({ import: { file }, removed, restored, kept }: UndoneImport) =>
  `Undid ${file}: ${removed} records removed, ${restored} restored, ${kept} kept because they were changed since.`;

interface ImportTableProps {
  readonly imports: readonly Import[];
  /** Null for people who may not. */
  readonly onUndo: ((one: Import) => void) | null;
}

function ImportTable({ imports, onUndo }: ImportTableProps) {
  if (imports.length === 0) {
    return (
      <Empty>
        No files were imported yet.{" "}
        {onUndo && (
          <>
            Drop a CSV file on the page of <a href="/console/records">all records</a>.
          </>
        )}
      </Empty>
    );
  }
  return (
    <Table
      caption="Imports"
      rows={imports}
      columns={[
        { title: "File", wraps: true, cell: ({ file }) => <bdi>{file}</bdi> },
        { title: "Imported", wraps: true, cell: ({ importedAt }) => <Moment at={importedAt} /> },
        { title: "New", isNumber: true, cell: ({ added }) => <Exact value={added} /> },
        { title: "Changed", isNumber: true, cell: ({ updated }) => <Exact value={updated} /> },
        { title: "There already", isNumber: true, cell: ({ unchanged }) => <Exact value={unchanged} /> },
        {
          title: "Facilities",
          isNumber: true,
          cell: ({ facilitiesCreated: made }) => <Exact value={made} />,
        },
        { title: "Undone", wraps: true, cell: ({ undoneAt }) => <Moment at={undoneAt} /> },
        ...(onUndo
          ? [
              {
                title: "Change",
                isActions: true,
                cell: (one: Import) =>
                  one.undoneAt === null && (
                    <button type="button" class="quiet" onClick={() => onUndo(one)}>
                      Undo
                    </button>
                  ),
              },
            ]
          : []),
      ]}
    />
  );
}
