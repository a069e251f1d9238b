import { useQuery } from "../../../gateway/use-query.js";
import { useScope } from "../../../gateway/viewer.js";
import { useAddress } from "../../../parts/address.js";
import { DialogButton, Dialogs } from "../../../parts/forms/dialogs.js";
import { Day } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { Exact, Money } from "../../../parts/numbers.js";
import { LoadedField } from "../../../parts/states.js";
import { type Column, List } from "../../../parts/table.js";
import { OBLIGATIONS } from "../names.js";
import { type ListedDeclaration, READ_DECLARATIONS } from "./read-declarations.js";
import { StartDeclaration } from "./start-declaration.js";

/** The declarations by year, with a button that starts a new one. */
export function AllDeclarations() {
  const { query } = useAddress();
  const answer = useQuery(READ_DECLARATIONS, { after: query["after"] ?? null });
  const mayWrite = useScope("write:compliance");
  return (
    <Dialogs>
      <div class="row">
        <p class="quiet">
          A declaration lists the imports of a year. It is your own record: nothing is sent to the CBAM
          registry.
        </p>
        {mayWrite && <DialogButton label="Start declaration" opens={<StartDeclaration />} />}
      </div>
      <LoadedField answer={answer} skeleton="short" field="compliance">
        {(compliance) => (
          <List caption="CBAM declarations" {...compliance.cbamDeclarations} columns={COLUMNS}>
            No declarations yet. {mayWrite && "Start one for a year, then add your imports."}
          </List>
        )}
      </LoadedField>
    </Dialogs>
  );
}

const COLUMNS: readonly Column<ListedDeclaration>[] = [
  {
    title: "Year",
    cell: ({ id, year }) => <a href={`/console/cbam/declarations?${new URLSearchParams({ id })}`}>{year}</a>,
  },
  { title: "Status", cell: ({ status }) => nameOf(status) },
  { title: "Due", cell: ({ dueOn }) => <Day on={dueOn} /> },
  { title: "Obligation", wraps: true, cell: ({ obligation }) => OBLIGATIONS[obligation] },
  { title: "Imports", isNumber: true, cell: ({ importCount }) => <Exact value={importCount} /> },
  { title: "tCO₂e", isNumber: true, cell: ({ embeddedEmissions }) => <Exact value={embeddedEmissions} /> },
  {
    title: "Certificates",
    isNumber: true,
    cell: ({ certificatesToBuy }) => <Exact value={certificatesToBuy} />,
  },
  { title: "EUR", isNumber: true, cell: ({ costToBuyEur }) => <Money value={costToBuyEur ?? null} /> },
];
