import { useScope } from "../../../gateway/viewer.js";
import { Exact } from "../../../parts/numbers.js";
import { Empty } from "../../../parts/states.js";
import { type Column, Table } from "../../../parts/table.js";
import { BASES, originOf } from "../goods/names.js";
import type { Open } from "./dialogs.js";
import type { Declaration, Import } from "./read-declarations.js";

interface ImportsProps {
  readonly declaration: Declaration;
  readonly onOpen: (open: Open) => void;
}

/** What was imported in the year, by quarter. */
export function Imports({ declaration, onOpen }: ImportsProps) {
  const isOpen = declaration.status !== "SUBMITTED";
  const mayChange = useScope("write:compliance") && isOpen;
  return (
    <section>
      <div class="row">
        <h2>Imports</h2>
        {mayChange && (
          <button type="button" class="outline" onClick={() => onOpen({ what: "add-import", declaration })}>
            Add import
          </button>
        )}
      </div>
      {declaration.imports.length === 0 ? (
        <Empty>Nothing was imported yet. {mayChange && "Add the goods of each quarter."}</Empty>
      ) : (
        <Table
          caption="Imports"
          rows={declaration.imports}
          columns={
            mayChange
              ? [...COLUMNS, remove((imported) => onOpen({ what: "remove-import", declaration, imported }))]
              : COLUMNS
          }
        />
      )}
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

/** Default values, or actual emissions by the tonne. */
function describeEmissions({ basis, directTco2ePerT, indirectTco2ePerT }: Import): string {
  if (basis === "DEFAULT") return BASES[basis];
  const indirect = indirectTco2ePerT === null ? "" : ` and ${indirectTco2ePerT} indirect`;
  return `${BASES[basis]}: ${directTco2ePerT} direct${indirect}, tCO₂e per t`;
}

const remove = (onRemove: (imported: Import) => void): Column<Import> => ({
  title: "Change",
  isActions: true,
  cell: (imported) => (
    <button type="button" class="quiet" onClick={() => onRemove(imported)}>
      Remove
    </button>
  ),
});
