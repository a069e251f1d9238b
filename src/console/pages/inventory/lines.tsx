import { graphql, type InventoryLine, type LineJudgement } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { useScope } from "../../gateway/viewer.js";
import { Checkboxes } from "../../parts/fields/checkboxes.js";
import { TextArea } from "../../parts/fields/field.js";
import { Select } from "../../parts/fields/select.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { DialogButton } from "../../parts/forms/dialogs.js";
import { need, textOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { nameOf } from "../../parts/names.js";
import { Exact, Tonnes } from "../../parts/numbers.js";
import { type Column, Table } from "../../parts/table.js";
import { JUDGEMENTS, lineName } from "./names.js";
import type { Inventory, Line } from "./read-inventory.js";

const JUDGE = graphql(`
  mutation ConsoleJudgeLine($input: JudgeLineInput!) { judgeLine(input: $input) { judgement { version } } }
`);

const WITHDRAW = graphql(`
  mutation ConsoleWithdrawJudgement($year: Int!, $line: InventoryLine!) {
    withdrawLineJudgement(input: { year: $year, line: $line }) { judgement { version } }
  }
`);

/** The lines of a year. A line without records is missing until a reason is given. */
export function Lines({ inventory: { year, lines } }: { inventory: Inventory }) {
  const mayWrite = useScope("write:emissions");
  const missing = lines.filter(({ state }) => state === "MISSING");
  const actionsFor = (line: Line) =>
    line.state === "INCLUDED" ? null : (
      <>
        <DialogButton
          label={line.state === "MISSING" ? "Give reason" : "Edit reason"}
          look="quiet"
          opens={<JudgeLines year={year} lines={[line]} />}
        />
        {line.state !== "MISSING" && (
          <DialogButton label="Remove" look="quiet" opens={<RemoveReason year={year} line={line.line} />} />
        )}
      </>
    );
  return (
    <section id="lines">
      <div class="row">
        <h2>Lines</h2>
        {mayWrite && missing.length > 1 && (
          <DialogButton
            label={`Give a reason for ${missing.length} lines`}
            opens={<JudgeLines year={year} lines={missing} />}
          />
        )}
      </div>
      <Table caption="Lines" rows={lines} columns={COLUMNS} actions={mayWrite && actionsFor} />
    </section>
  );
}

const COLUMNS: readonly Column<Line>[] = [
  { title: "Line", wraps: true, cell: ({ line }) => lineName(line) },
  { title: "tCO₂e", isNumber: true, cell: writeAmount },
  { title: "Records", isNumber: true, cell: ({ recordCount }) => <Exact value={recordCount} /> },
  {
    title: "State",
    wraps: true,
    cell: ({ state, reason }) => (
      <>
        <span class={state === "MISSING" ? "overdue" : undefined}>{nameOf(state)}</span>
        {reason && <small class="quiet">: {reason}</small>}
      </>
    ),
  },
  { title: "Method", wraps: true, cell: ({ methods }) => methods.map(writeMethod).join(", ") || "–" },
];

/** Writes the amount of a line. The amount of a line without records is unknown, not zero. */
function writeAmount({ co2eTonnes, recordCount }: Line) {
  return recordCount === 0 ? "–" : <Tonnes value={co2eTonnes} />;
}

const writeMethod = ({ method, percent }: Line["methods"][number]) =>
  `${method === null ? "Not specified" : nameOf(method)}${percent === null || percent === 100 ? "" : ` ${percent} %`}`;

interface JudgeLinesProps {
  readonly year: number;
  /** The lines to choose from. A single line needs no choice. */
  readonly lines: readonly Pick<Line, "line" | "state" | "reason">[];
}

/** Records one reason for all chosen lines without records. */
function JudgeLines({ year, lines }: JudgeLinesProps) {
  const [first] = lines;
  const single = lines.length === 1 ? first : undefined;
  const chosenIn = (values: FormData) =>
    (single ? [single.line] : values.getAll("lines")) as readonly InventoryLine[];
  const judge = async (values: FormData) => {
    const state = textOf(values, "state") as LineJudgement;
    const chosen = chosenIn(values);
    for (const line of chosen)
      await run(JUDGE, { input: { year, line, state, reason: textOf(values, "reason").trim() } });
    const named = single ? lineName(single.line) : `${chosen.length} lines`;
    showMessage({ text: `${named}: ${nameOf(state).toLowerCase()} in ${year}.` });
  };
  const check = (values: FormData) => [
    ...need("lines", chosenIn(values).length > 0, "Choose at least one line."),
    ...need("reason", textOf(values, "reason").trim() !== "", "Enter a reason."),
  ];
  return (
    <Confirm
      title={single ? lineName(single.line) : `Lines without records in ${year}`}
      action="Save"
      onConfirm={judge}
      check={check}
    >
      {!single && (
        <Checkboxes
          label="Lines"
          name="lines"
          options={lines.map(({ line }) => line)}
          labelOf={(line) => lineName(line as InventoryLine)}
          chosen={[]}
          offersAll
        />
      )}
      <Select
        label="State"
        name="state"
        options={JUDGEMENTS}
        value={single?.state === "NOT_ESTIMATED" ? "NOT_ESTIMATED" : "NOT_RELEVANT"}
      />
      <TextArea
        label="Reason"
        name="reason"
        value={single?.reason ?? ""}
        hint="Appears in the issued inventory, e.g. “We sell services and no products”"
      />
    </Confirm>
  );
}

const RemoveReason = ({ year, line }: { year: number; line: InventoryLine }) => (
  <Confirm
    title={`Remove the reason for ${lineName(line)}?`}
    action="Remove"
    onConfirm={() => run(WITHDRAW, { year, line })}
  >
    <p>The line will be missing again, and you can't issue {year} until it has records or a reason.</p>
  </Confirm>
);
