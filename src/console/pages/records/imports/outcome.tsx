import type { ActivityReport } from "../../../../domain/emissions/activity-report.js";
import { Details } from "../../../parts/details.js";
import { Exact } from "../../../parts/numbers.js";
import { Table } from "../../../parts/table.js";
import type { FileProblem } from "./import-form.js";

/** Result of an import or of a check. */
export interface ImportReport {
  readonly dry_run: boolean;
  readonly rows: number;
  readonly inserted: number;
  readonly updated: number;
  readonly already_present: number;
  readonly facilities_created: number;
  readonly skipped: number;
  readonly rounded: number;
  readonly co2e_tonnes_exact: { readonly total: string };
  readonly first_day: string | null;
  readonly last_day: string | null;
  readonly questions: readonly ImportQuestion[];
  /** Activities of the file, if it has any. */
  readonly activities?: ActivityReport;
}

/** A question about a probable error in the file. Its message contains the figures. */
export interface ImportQuestion {
  readonly code: string;
  readonly message: string;
  readonly rows: number;
  readonly first_lines: readonly number[];
}

/** Questions about probable errors, each with its figures and lines. */
function Questions({ questions }: { questions: readonly ImportQuestion[] }) {
  return (
    <>
      <p class="complaint">The file can be read, and is probably wrong. Check these figures:</p>
      <ul>
        {questions.map(({ code, message, rows, first_lines }) => (
          <li key={code}>
            {message} {rows === 1 ? "Row" : `${rows} rows, first`} in line {first_lines.join(", ")}.
          </li>
        ))}
      </ul>
    </>
  );
}

/** The counts of an import, or of a check. */
export function Report({ report }: { report: ImportReport }) {
  const { dry_run, first_day, last_day, skipped, rounded, questions } = report;
  const isAsked = dry_run && questions.length > 0;
  return (
    <section class="card" aria-label={dry_run ? "What would be imported" : "What was imported"}>
      {isAsked && <Questions questions={questions} />}
      <p>
        <strong>{describeOutcome(report)}</strong>
      </p>
      <Details
        items={{
          Rows: <Exact value={report.rows} />,
          New: <Exact value={report.inserted} />,
          Changed: <Exact value={report.updated} />,
          "There already": <Exact value={report.already_present} />,
          "New facilities": <Exact value={report.facilities_created} />,
          ...(skipped > 0 && { Skipped: <Exact value={skipped} /> }),
          ...(rounded > 0 && { Rounded: <Exact value={rounded} /> }),
          Together: `${report.co2e_tonnes_exact.total} tCO₂e`,
          Days: first_day && `${first_day} to ${last_day}`,
        }}
      />
    </section>
  );
}

function describeOutcome({ dry_run, activities, questions }: ImportReport): string {
  if (!dry_run) return "Imported.";
  if ((activities?.unresolved ?? 0) > 0) {
    return "Choose an emission factor for each activity below. Nothing is imported yet.";
  }
  return questions.length === 0
    ? "The file has no problems. Nothing is imported yet."
    : "Nothing is imported yet. If the figures above are right, import the file anyway.";
}

/** The faults of a file, by place. */
export function ProblemTable({ problems }: { problems: readonly FileProblem[] }) {
  return (
    <>
      <p class="complaint">Nothing was imported. Correct the columns above, or the file, and check again.</p>
      <Table
        caption="Problems of the file"
        rows={problems}
        columns={[
          { title: "Place", cell: ({ line }) => line },
          { title: "Column", wraps: true, cell: ({ column }) => column || "–" },
          { title: "Expected", wraps: true, cell: ({ expected }) => expected },
          { title: "Got", wraps: true, cell: ({ got }) => got || "–" },
        ]}
      />
    </>
  );
}
