import type { ComponentChildren } from "preact";
import type { ActivityReport } from "../../../../domain/emissions/activity-report.js";
import { countOf } from "../../../../domain/texts/count-of.js";
import { Details } from "../../../parts/details.js";
import { writeDay } from "../../../parts/moment.js";
import { Exact, writeDecimal } from "../../../parts/numbers.js";
import type { FileProblem } from "./preview.js";
import { ProblemTable } from "./problems.js";

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
  readonly refused: { readonly rows: number; readonly problems: readonly FileProblem[] };
}

/** Returns the number of rows that were imported or, after a check, that can be. */
export const importedRows = ({ rows, skipped, refused }: ImportReport): number =>
  rows - skipped - refused.rows;

/** Writes a number of rows. */
export const writeRows = (rows: number): string =>
  countOf(rows, "row", (count) => writeDecimal(String(count)));

/** A question about a probable mistake in the file. Its message contains the figures. */
export interface ImportQuestion {
  readonly code: string;
  readonly message: string;
  readonly rows: number;
  readonly first_lines: readonly number[];
}

/** Questions about probable mistakes, with their figures and lines. */
function Questions({ questions }: { questions: readonly ImportQuestion[] }) {
  return (
    <>
      <p class="complaint">Some figures look wrong. Check them before you import the file:</p>
      <ul>
        {questions.map(({ code, message, rows, first_lines }) => (
          <li key={code}>
            {message} {describeLines(rows, first_lines)}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Returns the lines of a question: "Line 5." or "40 rows: lines 2, 3, 4, …". */
const describeLines = (rows: number, first: readonly number[]) =>
  rows === 1
    ? `Line ${first.join()}.`
    : `${rows} rows: lines ${first.join(", ")}${rows > first.length ? ", …" : "."}`;

/** Returns the counts above zero as details. */
const counted = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [[name, <Exact value={count} />]] : [])),
  );

/** The result of an import or a check. Shows the children above the counts. */
export function Report({ report, children }: { report: ImportReport; children?: ComponentChildren }) {
  const { dry_run, first_day, last_day, skipped, rounded, questions, refused } = report;
  const isAsked = dry_run && questions.length > 0;
  return (
    <section class="card" aria-label={dry_run ? "Result of the check" : "Result of the import"}>
      {isAsked && <Questions questions={questions} />}
      <p>
        <strong>{describeOutcome(report)}</strong>
      </p>
      {children}
      <Details
        items={{
          "New records": <Exact value={report.inserted} />,
          ...counted({
            Changed: report.updated,
            Unchanged: report.already_present,
            "Left out": refused.rows,
            "New facilities": report.facilities_created,
            "Skipped blanks": skipped,
            Rounded: rounded,
          }),
          Total: `${writeDecimal(report.co2e_tonnes_exact.total)} tCO₂e`,
          Dates: first_day && last_day && `${writeDay(first_day)} to ${writeDay(last_day)}`,
        }}
      />
      {refused.rows > 0 && (
        <ProblemTable
          caption={dry_run ? "Rows that cannot be imported" : "Rows that were left out"}
          problems={refused.problems}
        />
      )}
    </section>
  );
}

function describeOutcome(report: ImportReport): string {
  const { dry_run, activities, questions, refused } = report;
  const others =
    refused.rows === 0 ? "" : ` ${writeRows(refused.rows)} ${refused.rows === 1 ? "has" : "have"} problems.`;
  const rows = writeRows(importedRows(report));
  if (!dry_run) return `${rows} imported.`;
  if (questions.length > 0)
    return "Nothing has been imported yet. If the figures above are correct, import the file anyway.";
  const next =
    (activities?.unresolved ?? 0) > 0
      ? "Choose an emission factor for the activities below, or their rows will be left out."
      : "Nothing has been imported yet.";
  return `${rows} can be imported.${others} ${next}`;
}
