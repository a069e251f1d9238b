import { writeDay } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { writeDecimal } from "../../../parts/numbers.js";
import { type Column, Table } from "../../../parts/table.js";
import { describe, type FileProblem } from "./problems.js";

/** A record of a row as the gateway reads it. */
interface PreviewedRecord {
  readonly recorded_on: string;
  readonly facility: string | null;
  readonly scope: string | null;
  readonly co2e_tonnes: string | null;
  readonly amount: string | null;
  readonly unit: string | null;
  readonly activity: string | null;
}

interface PreviewedRow {
  readonly line: number;
  readonly cells: readonly string[];
  readonly records: readonly PreviewedRecord[];
}

/** Options of an import as parameters; those that the console reads by name, and others. */
export interface Options {
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly skip_lines?: string;
  readonly date_format?: string;
  readonly decimal_comma?: string;
  readonly [name: string]: string | readonly string[] | undefined;
}

/** The beginning of a file as the gateway understands it. */
export interface Preview {
  readonly options: Options;
  readonly questions: readonly {
    readonly code: "DATE_ORDER" | "DECIMAL_MARK";
    readonly text: string;
    readonly readings: readonly {
      readonly value: string;
      readonly options: Options;
    }[];
  }[];
  readonly columns: readonly { readonly name: string }[];
  readonly rows: readonly PreviewedRow[];
  readonly problems: readonly FileProblem[];
  readonly new_facilities: readonly string[];
  readonly needs_country: boolean;
}

/** The first rows of a file, each with the record that it becomes. */
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
    // A question may be the reason.
    const found = questions.length > 0 ? [] : problems.filter((problem) => problem.line === line);
    return found.map((problem) => (
      <small class="complaint" key={problem.expected}>
        {describe(problem)}
      </small>
    ));
  };
  return (
    <Table
      caption="The first rows, as understood"
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
        column("Day", ({ recorded_on }) => writeDay(recorded_on)),
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
