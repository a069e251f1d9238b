import { useScope } from "../../../gateway/viewer.js";
import { DialogButton } from "../../../parts/forms/dialogs.js";
import { Exact } from "../../../parts/numbers.js";
import { type Column, Table } from "../../../parts/table.js";
import { BASES, originOf } from "../names.js";
import { AddImport } from "./add-import.js";
import type { Declaration, Import } from "./read-declarations.js";
import { RemoveImport } from "./remove-import.js";

/** The imports of the year, by quarter. */
export function Imports({ declaration }: { declaration: Declaration }) {
  const isOpen = declaration.status !== "SUBMITTED";
  const mayChange = useScope("write:compliance") && isOpen;
  return (
    <section>
      <div class="row">
        <h2>Imports</h2>
        {mayChange && <DialogButton label="Add import" opens={<AddImport declaration={declaration} />} />}
      </div>
      <Table
        caption="Imports"
        rows={declaration.imports}
        columns={COLUMNS}
        actions={
          mayChange &&
          ((imported: Import) => (
            <DialogButton
              label="Remove"
              look="quiet"
              opens={<RemoveImport declaration={declaration} imported={imported} />}
            />
          ))
        }
      >
        Nothing was imported yet. {mayChange && "Add the goods of each quarter."}
      </Table>
    </section>
  );
}

const COLUMNS: readonly Column<Import>[] = [
  { title: "CN code", cell: ({ cnCode }) => cnCode },
  { title: "Quarter", cell: ({ quarter }) => quarter },
  { title: "Origin", wraps: true, cell: ({ country }) => originOf(country) },
  { title: "Net mass, t", isNumber: true, cell: ({ massT }) => <Exact value={massT} /> },
  { title: "Emissions by", wraps: true, cell: describeEmissions },
  {
    title: "Precursors",
    wraps: true,
    cell: ({ precursors }) =>
      precursors.map(({ cnCode, massT }) => `${massT} t of ${cnCode}`).join(", ") || "–",
  },
  { title: "Route", cell: ({ route }) => route ?? "–" },
  { title: "Reduction", isNumber: true, cell: ({ reductionTco2e }) => <Exact value={reductionTco2e} /> },
];

/** Describes the emissions of an import: default values, or actual emissions per tonne. */
function describeEmissions({ basis, directTco2ePerT, indirectTco2ePerT }: Import): string {
  if (basis === "DEFAULT") return BASES[basis];
  const indirect = indirectTco2ePerT === null ? "" : ` and ${indirectTco2ePerT} indirect`;
  return `${BASES[basis]}: ${directTco2ePerT} direct${indirect}, tCO₂e per t`;
}
