import { useScope } from "../../gateway/viewer.js";
import { creditTypeOf } from "../../parts/credit-types.js";
import { DialogButton } from "../../parts/forms/dialogs.js";
import { Exact } from "../../parts/numbers.js";
import { type Column, List } from "../../parts/table.js";
import { BatchHistory } from "./batch-history.js";
import type { Batch, Portfolio } from "./read-credits.js";
import { RetireCredits } from "./retire-credits.js";
import { SellCredits } from "./sell-credits.js";

/** The batches, with actions on their available credits. */
export function Batches({ batches }: { batches: Portfolio["batches"] }) {
  const mayWrite = useScope("write:credits");
  return (
    <List caption="Batches" {...batches} columns={COLUMNS} actions={mayWrite && actionsFor}>
      No credits yet. {mayWrite && "Issue the first batch."}
    </List>
  );
}

const COLUMNS: readonly Column<Batch>[] = [
  { title: "Reference", wraps: true, cell: ({ reference }) => reference },
  { title: "Type", wraps: true, cell: ({ creditType }) => creditTypeOf(creditType) },
  { title: "Vintage", cell: ({ vintage }) => vintage ?? "–" },
  { title: "Issued", isNumber: true, cell: ({ issued }) => <Exact value={issued} /> },
  { title: "Sold", isNumber: true, cell: ({ sold }) => <Exact value={sold} /> },
  { title: "Retired", isNumber: true, cell: ({ retired }) => <Exact value={retired} /> },
  { title: "Available", isNumber: true, cell: ({ available }) => <Exact value={available} /> },
  { title: "History", wraps: true, cell: (batch) => <BatchHistory batch={batch} /> },
];

const actionsFor = (batch: Batch) =>
  batch.available > 0 && (
    <>
      <DialogButton label="Sell" look="quiet" opens={<SellCredits batch={batch} />} />
      <DialogButton label="Retire" look="quiet" opens={<RetireCredits batch={batch} />} />
    </>
  );
