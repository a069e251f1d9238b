import { useScope } from "../../gateway/viewer.js";
import { Exact } from "../../parts/numbers.js";
import { Empty } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";
import { BatchHistory } from "./batch-history.js";
import type { Batch } from "./read-credits.js";

/** What is to be done with a batch. */
export interface BatchAction {
  readonly what: "sell" | "retire";
  readonly batch: Batch;
}

interface BatchesProps {
  readonly batches: readonly Batch[];
  readonly onOpen: (action: BatchAction) => void;
}

/** The batches with what became of each, and what can be done with what is left. */
export function Batches({ batches, onOpen }: BatchesProps) {
  const mayWrite = useScope("write:credits");
  if (batches.length === 0) {
    return (
      <Empty>
        There are no credits yet.{" "}
        {mayWrite ? "Issue a batch, or load a bundle: " : "A bundle brings them in: "}
        <code>gateway load --help</code>
      </Empty>
    );
  }
  return (
    <Table caption="Batches" rows={batches} columns={mayWrite ? [...COLUMNS, actions(onOpen)] : COLUMNS} />
  );
}

const COLUMNS: readonly Column<Batch>[] = [
  { title: "Reference", wraps: true, cell: ({ reference }) => reference },
  { title: "Type", cell: ({ creditType }) => creditType },
  { title: "Vintage", cell: ({ vintage }) => vintage ?? "–" },
  { title: "Issued", isNumber: true, cell: ({ issued }) => <Exact value={issued} /> },
  { title: "Sold", isNumber: true, cell: ({ sold }) => <Exact value={sold} /> },
  { title: "Retired", isNumber: true, cell: ({ retired }) => <Exact value={retired} /> },
  { title: "Available", isNumber: true, cell: ({ available }) => <Exact value={available} /> },
  { title: "What became of it", wraps: true, cell: (batch) => <BatchHistory batch={batch} /> },
];

const actions = (onOpen: BatchesProps["onOpen"]): Column<Batch> => ({
  title: "Change",
  isActions: true,
  cell: (batch) =>
    batch.available > 0 && (
      <>
        <button type="button" class="quiet" onClick={() => onOpen({ what: "sell", batch })}>
          Sell
        </button>
        <button type="button" class="quiet" onClick={() => onOpen({ what: "retire", batch })}>
          Retire
        </button>
      </>
    ),
});
