import { Exact, Money, percent, shorten } from "../../../parts/numbers.js";
import { type Column, Table } from "../../../parts/table.js";
import { originOf } from "../names.js";
import { Notices } from "../notices.js";
import type { CbamLine } from "./read-estimate.js";

/** What each of the goods needs, and what to mind about it. */
export function Lines({ lines }: { lines: readonly CbamLine[] }) {
  return (
    <>
      <Table caption="What each of the goods needs" rows={lines} columns={COLUMNS} />
      {lines.map(
        ({ good, notices }, index) =>
          notices.length > 0 && (
            <section key={index} aria-label={`What to mind about ${good}`}>
              {lines.length > 1 && <h3>{good}</h3>}
              <Notices notices={notices} />
            </section>
          ),
      )}
    </>
  );
}

const COLUMNS: readonly Column<CbamLine>[] = [
  { title: "Good", wraps: true, cell: ({ good }) => good },
  { title: "Values of", wraps: true, cell: ({ countryUsed }) => originOf(countryUsed) },
  { title: "Route", cell: ({ route }) => route ?? "–" },
  { title: "tCO₂e per t", isNumber: true, cell: (line) => <PerTonne line={line} /> },
  { title: "Embedded", isNumber: true, cell: (line) => <Exact value={line.embeddedEmissions} /> },
  { title: "Benchmark", isNumber: true, cell: ({ benchmark }) => <Exact value={benchmark} /> },
  {
    title: "Free share",
    isNumber: true,
    cell: ({ cbamFactor }) => `${shorten(cbamFactor * 100)} %`,
  },
  {
    title: "Free allocation",
    isNumber: true,
    cell: ({ freeAllocationAdjustment }) => <Exact value={freeAllocationAdjustment} />,
  },
  { title: "Certificates", isNumber: true, cell: ({ certificates }) => <Exact value={certificates} /> },
  { title: "EUR", isNumber: true, cell: ({ costEur }) => <Money value={costEur} /> },
];

/** Embedded emissions of a tonne, and the default value and mark-up that they are from. */
function PerTonne({ line: { specificEmbedded, defaultValue, markup } }: { line: CbamLine }) {
  return (
    <span>
      <Exact value={specificEmbedded} />
      {defaultValue !== null && markup !== null && (
        <span class="quiet">
          {" "}
          = {defaultValue} {percent(markup * 100)}
        </span>
      )}
    </span>
  );
}
