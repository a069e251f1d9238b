import { writeDay } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { writeDecimal } from "../../../parts/numbers.js";
import { type Column, Table } from "../../../parts/table.js";
import type { Preview, PreviewedRecord, PreviewedRow } from "./preview.js";
import { describe } from "./problems.js";

/** The first rows of a file, with the records they become. */
export function PreviewTable({ preview: { rows, problems, questions } }: { preview: Preview }) {
  const records = rows.flatMap((row) => row.records);
  const has = (name: keyof PreviewedRecord) => records.some((record) => record[name] !== null);
  const column = (title: string, show: (record: PreviewedRecord) => string | null): Column<PreviewedRow> => ({
    title,
    wraps: true,
    cell: (row) => row.records.map((record) => show(record) ?? "–").join("; ") || "–",
  });
  const explain = ({ line, records }: PreviewedRow) => {
    if (records.length > 0) return null;
    // An open question may be the cause, so the problems are not shown.
    const found = questions.length > 0 ? [] : problems.filter((problem) => problem.line === line);
    return found.map((problem) => (
      <small class="complaint" key={problem.expected}>
        {describe(problem)}
      </small>
    ));
  };
  return (
    <Table
      caption="Preview of the first rows"
      rows={rows}
      columns={[
        { title: "Line", cell: ({ line }) => line },
        {
          title: "In your file",
          wraps: true,
          cell: (row) => (
            <>
              <bdi>{row.cells.join(" · ")}</bdi>
              {explain(row)}
            </>
          ),
        },
        column("Date", ({ recorded_on }) => writeDay(recorded_on)),
        ...(has("facility") ? [column("Facility", ({ facility }) => facility)] : []),
        ...(has("activity") ? [column("Activity", ({ activity }) => activity)] : []),
        column("Amount", ({ amount, unit, co2e_tonnes }) =>
          amount === null ? `${writeDecimal(co2e_tonnes ?? "0")} tCO₂e` : `${writeDecimal(amount)} ${unit}`,
        ),
        ...(has("scope") ? [column("Scope", ({ scope }) => scope && nameOf(scope.toUpperCase()))] : []),
      ]}
    />
  );
}
