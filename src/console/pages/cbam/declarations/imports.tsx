import { useScope } from "../../../gateway/viewer.js";
import { Button } from "../../../parts/button.js";
import { DialogButton } from "../../../parts/forms/dialogs.js";
import { Exact, Money } from "../../../parts/numbers.js";
import { type Column, Table } from "../../../parts/table.js";
import { BASES, originOf } from "../names.js";
import { AddImport } from "./add-import.js";
import { EditImport } from "./edit-import.js";
import { downloadImports } from "./export-imports.js";
import { ImportFile } from "./import-file.js";
import type { Declaration, Import } from "./read-declarations.js";
import { RemoveImport } from "./remove-import.js";

/** The imports of a declaration, by quarter. */
export function Imports({ declaration }: { declaration: Declaration }) {
  const isOpen = declaration.status !== "SUBMITTED";
  const mayChange = useScope("write:compliance") && isOpen;
  return (
    <section>
      <div class="row">
        <h2>Imports</h2>
        {declaration.imports.length > 0 && (
          <Button
            label="Download CSV"
            onClick={() => downloadImports(declaration.year, declaration.imports)}
          />
        )}
        {mayChange && (
          <>
            <DialogButton label="Import a file" opens={<ImportFile declaration={declaration} />} />
            <DialogButton label="Add import" opens={<AddImport declaration={declaration} />} />
          </>
        )}
      </div>
      <Table
        caption="Imports"
        rows={declaration.imports}
        columns={COLUMNS}
        actions={
          mayChange &&
          ((imported: Import) => (
            <>
              <DialogButton
                label="Edit"
                look="quiet"
                opens={<EditImport declaration={declaration} imported={imported} />}
              />
              <DialogButton
                label="Remove"
                look="quiet"
                opens={<RemoveImport declaration={declaration} imported={imported} />}
              />
            </>
          ))
        }
      >
        No imports yet. {mayChange && "Add the goods of each quarter, or import a file."}
      </Table>
    </section>
  );
}

const COLUMNS: readonly Column<Import>[] = [
  { title: "Goods", wraps: true, cell: nameGoods },
  { title: "Quarter", cell: ({ quarter }) => quarter },
  { title: "Origin", wraps: true, cell: ({ country }) => originOf(country) },
  { title: "Basis of emissions", wraps: true, cell: describeEmissions },
  { title: "Net mass, t", isNumber: true, cell: ({ massT }) => <Exact value={massT} /> },
  {
    title: "tCO₂e",
    isNumber: true,
    cell: ({ embeddedEmissions }) => <Exact value={embeddedEmissions ?? null} />,
  },
  {
    title: "Certificates",
    isNumber: true,
    cell: ({ certificates }) => <Exact value={certificates ?? null} />,
  },
  { title: "EUR", isNumber: true, cell: ({ costEur }) => <Money value={costEur ?? null} /> },
];

function nameGoods({ name, cnCode }: Import) {
  return (
    <>
      {cnCode} <span class="quiet">{name}</span>
    </>
  );
}

/** Describes the basis of an import's emissions, with the values, route and precursors that were entered. */
function describeEmissions(imported: Import): string {
  const { basis, route, directTco2ePerT, indirectTco2ePerT, precursors, reductionTco2e } = imported;
  const parts = [
    basis === "DEFAULT" ? BASES[basis] : `${BASES[basis]}: ${directTco2ePerT} tCO₂e per t direct`,
    indirectTco2ePerT !== null && `${indirectTco2ePerT} indirect`,
    route && `route ${route}`,
    ...precursors.map(({ cnCode, massT }) => `made from ${massT} t of ${cnCode}`),
    reductionTco2e > 0 && `reduced by ${reductionTco2e} tCO₂e`,
  ];
  return parts.filter(Boolean).join(", ");
}
