import { type ConsoleImportsQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { Moment } from "../../parts/moment.js";
import { Exact } from "../../parts/numbers.js";
import { LoadedField } from "../../parts/states.js";
import { type Column, List } from "../../parts/table.js";
import { ImportButton } from "./imports/import-button.js";
import { TemplateButton } from "./imports/template.js";
import { UndoImport } from "./imports/undo-import.js";

const OPERATION = graphql(`
  query ConsoleImports($after: String) {
    imports(first: 25, after: $after) {
      nodes { id file importedAt added updated unchanged facilitiesCreated undoneAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

type Import = NonNullable<ConsoleImportsQuery["imports"]>["nodes"][number];

/** The imported files and sample data. */
export function Imports() {
  const { after = null } = useAddress().query;
  const answer = useQuery(OPERATION, { after });
  const mayWrite = useScope("write:emissions");
  return (
    <Dialogs onClosed={answer.reload}>
      {mayWrite && (
        <div class="row">
          <p class="quiet">Import activities or emissions from CSV files. You can undo an import.</p>
          <TemplateButton />
          <ImportButton look="primary" />
        </div>
      )}
      <LoadedField answer={answer} skeleton="table" field="imports">
        {(imports) => (
          <List caption="Imports" {...imports} columns={COLUMNS} actions={mayWrite && actionsFor}>
            No imports yet. {mayWrite && "Drop a CSV file on this page, or start with the template."}
          </List>
        )}
      </LoadedField>
    </Dialogs>
  );
}

const COLUMNS: readonly Column<Import>[] = [
  { title: "File", wraps: true, cell: ({ file }) => <bdi>{file}</bdi> },
  { title: "Imported", wraps: true, cell: ({ importedAt }) => <Moment at={importedAt} /> },
  { title: "New", isNumber: true, cell: ({ added }) => <Exact value={added} /> },
  { title: "Changed", isNumber: true, cell: ({ updated }) => <Exact value={updated} /> },
  { title: "Unchanged", isNumber: true, cell: ({ unchanged }) => <Exact value={unchanged} /> },
  {
    title: "Facilities",
    isNumber: true,
    cell: ({ facilitiesCreated }) => <Exact value={facilitiesCreated} />,
  },
  { title: "Undone on", wraps: true, cell: ({ undoneAt }) => <Moment at={undoneAt} /> },
];

const actionsFor = ({ id, file, undoneAt }: Import) =>
  undoneAt === null && <DialogButton label="Undo" look="quiet" opens={<UndoImport id={id} file={file} />} />;
