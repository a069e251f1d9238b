import { useScope } from "../../gateway/viewer.js";
import { DialogButton } from "../../parts/forms/dialogs.js";
import { Exact } from "../../parts/numbers.js";
import { type Column, List } from "../../parts/table.js";
import { ChangePeriod } from "./periods/change-period.js";
import { RecordPeriod } from "./periods/record-period.js";
import { Surrender } from "./periods/surrender.js";
import { certificatesDue, type Period, type Periods } from "./read-compliance.js";

/** Certificates that entities must surrender or will receive in India's Carbon Credit Trading Scheme. */
export function Ccts({ periods }: { periods: Periods }) {
  const mayWrite = useScope("write:compliance");
  return (
    <section id="ccts">
      <div class="row">
        <h2>Carbon Credit Trading Scheme, India (CCTS)</h2>
        {mayWrite && <DialogButton label="Record period" opens={<RecordPeriod />} />}
      </div>
      <List
        caption="CCTS periods"
        {...periods}
        columns={COLUMNS}
        actions={mayWrite && ((period: Period) => <Actions period={period} />)}
      >
        No financial years yet.{" "}
        {mayWrite && "Record one to see how many certificates to surrender or receive."}
      </List>
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

function Actions({ period }: { period: Period }) {
  const maySurrender = useScope("write:credits");
  return (
    <>
      <DialogButton label="Edit" look="quiet" opens={<ChangePeriod period={period} />} />
      {maySurrender && certificatesDue(period) > 0 && (
        <DialogButton label="Surrender" look="quiet" opens={<Surrender period={period} />} />
      )}
    </>
  );
}
