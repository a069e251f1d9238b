import { useScope } from "../../gateway/viewer.js";
import { Exact } from "../../parts/numbers.js";
import { Paging } from "../../parts/paging.js";
import { Empty } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";
import type { Open } from "./dialogs.js";
import { stillDue } from "./periods/still-due.js";
import type { Period, Periods } from "./read-compliance.js";

interface CctsProps {
  readonly periods: Periods;
  readonly onOpen: (open: Open) => void;
}

/** What entities have to surrender, or will be issued, in India's Carbon Credit Trading Scheme. */
export function Ccts({ periods: { nodes, pageInfo }, onOpen }: CctsProps) {
  const mayWrite = useScope("write:compliance");
  const maySurrender = useScope("write:credits") && mayWrite;
  return (
    <section id="ccts">
      <div class="row">
        <h2>CCTS periods</h2>
        {mayWrite && (
          <button type="button" class="outline" onClick={() => onOpen({ what: "record-period" })}>
            Record period
          </button>
        )}
      </div>
      {nodes.length === 0 ? (
        <Empty>
          No financial year is recorded.{" "}
          {mayWrite && "Record one to see what is to be surrendered or issued."}
        </Empty>
      ) : (
        <Table
          caption="CCTS periods"
          rows={nodes}
          columns={mayWrite ? [...COLUMNS, actions(onOpen, maySurrender)] : COLUMNS}
        />
      )}
      <Paging pageInfo={pageInfo} />
    </section>
  );
}

const COLUMNS: readonly Column<Period>[] = [
  { title: "Entity", wraps: true, cell: ({ entity, financialYear }) => `${entity}, ${financialYear}` },
  {
    title: "Target",
    isNumber: true,
    cell: ({ targetGei, targetSourceUrl }) => (
      <a href={targetSourceUrl} rel="noreferrer" target="_blank" title="tCO₂e per unit of output">
        <Exact value={targetGei} />
      </a>
    ),
  },
  { title: "Achieved", isNumber: true, cell: ({ achievedGei }) => <Exact value={achievedGei} /> },
  { title: "Output", isNumber: true, cell: ({ output }) => <Exact value={output} /> },
  { title: "Surplus", isNumber: true, cell: ({ surplus }) => <Exact value={surplus} /> },
  { title: "To issue", isNumber: true, cell: ({ toIssue }) => <Exact value={toIssue} /> },
  { title: "To surrender", isNumber: true, cell: ({ toSurrender }) => <Exact value={toSurrender} /> },
  { title: "Surrendered", isNumber: true, cell: ({ surrendered }) => <Exact value={surrendered} /> },
  { title: "Compensation", isNumber: true, cell: (period) => <Compensation period={period} /> },
];

const Compensation = ({ period: { compensation, compensationMessage } }: { period: Period }) =>
  compensation === null ? (
    <span class="quiet reason">{compensationMessage}</span>
  ) : (
    <span>
      ₹ <Exact value={compensation} />
    </span>
  );

const actions = (onOpen: CctsProps["onOpen"], maySurrender: boolean): Column<Period> => ({
  title: "Change",
  isActions: true,
  cell: (period) => (
    <>
      <button type="button" class="quiet" onClick={() => onOpen({ what: "change-period", period })}>
        Change
      </button>
      {maySurrender && stillDue(period) > 0 && (
        <button type="button" class="quiet" onClick={() => onOpen({ what: "surrender", period })}>
          Surrender
        </button>
      )}
    </>
  ),
});
