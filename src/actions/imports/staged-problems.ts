import type { SqlSession } from "../../data/database/types.js";
import { findArchivedFacilities } from "../../data/imports/archived-facilities.js";
import { findExcessiveLines, findUnresolvedLines } from "../../data/imports/choices.js";
import { arrangeRecords, dropLines } from "../../data/imports/stage-records.js";
import { findLockedLines } from "../../data/imports/write-records.js";
import type { MatchProblem } from "../../domain/emissions/activity-report.js";
import { MAX_TONNES } from "../../domain/emissions/record-rules.js";
import { type Columns, type Field, fileAmounts, hasActivities } from "../../files/csv/fields.js";
import { type Problems, quote } from "../../files/csv/problems.js";
import type { DistinctActivity } from "../../files/csv/rows/distinct-activities.js";

/** Lines of a staged file with the same fault: the first few, and the total number. */
interface FaultyLines<Line> {
  readonly count: number;
  readonly first: readonly Line[];
}

/** Adds a problem for every faulty line, in the column that is read as the field. */
function addLines<Line extends { readonly line: number }>(
  problems: Problems,
  { sources }: Columns,
  field: Field,
  { first, count }: FaultyLines<Line>,
  describe: (line: Line) => { readonly expected: string; readonly got: string },
): void {
  const column = sources.get(field)?.name ?? field;
  const listed = first.map((line) => {
    const { expected, got } = describe(line);
    return { line: line.line, column, expected, got, suggestions: [] };
  });
  problems.addAll(listed, count);
}

/** Sorts the records, and adds a problem for every repeated reference. */
export async function arrange(sql: SqlSession, columns: Columns, problems: Problems): Promise<void> {
  const repeated = await arrangeRecords(sql, hasActivities(columns), problems.maxListed);
  addLines(problems, columns, "reference", repeated, ({ firstLine, reference }) => ({
    expected: "a unique reference",
    got: `${quote(reference)}, as in line ${firstLine}`,
  }));
}

/**
 * Adds a problem for every arranged activity with too many tonnes, and for every new record of an archived facility.
 */
export async function refuseRows(
  sql: SqlSession,
  organizationId: string,
  columns: Columns,
  problems: Problems,
): Promise<void> {
  if (hasActivities(columns)) {
    const excessive = await findExcessiveLines(sql, MAX_TONNES, problems.maxListed);
    addLines(problems, columns, "amount", excessive, ({ tonnes }) => ({
      expected: `an amount that results in at most ${MAX_TONNES} t`,
      got: `${tonnes} t`,
    }));
  }
  const archived = await findArchivedFacilities(sql, organizationId, problems.maxListed);
  addLines(problems, columns, "facility", archived, ({ code }) => ({
    expected: "a facility that is not archived",
    got: `a new record of ${quote(code)}`,
  }));
}

/** Adds a problem for every line that would change a locked period. */
export async function refuseLocked(
  sql: SqlSession,
  organizationId: string,
  columns: Columns,
  problems: Problems,
): Promise<void> {
  const locked = await findLockedLines(sql, organizationId, fileAmounts(columns), problems.maxListed);
  addLines(problems, columns, "recorded_on", locked, ({ recordedOn, from, to }) => ({
    expected: `no change from ${from} to ${to}, a period locked for verification`,
    got: `a new or changed record of ${recordedOn}`,
  }));
}

/** Adds a problem for every staged row whose activity has no unambiguous emission factor. */
export async function refuseUnresolved(
  sql: SqlSession,
  columns: Columns,
  problems: Problems,
  activities: readonly DistinctActivity[],
  problemOf: (activity: number) => MatchProblem | undefined,
): Promise<void> {
  const unresolved = await findUnresolvedLines(sql, problems.maxListed);
  addLines(problems, columns, "activity", unresolved, ({ activity }) => {
    const { activity: text, gas = "" } = activities[activity]?.naming ?? {};
    const problem = problemOf(activity);
    const expected = "an activity with an emission factor";
    if (!problem) return { expected, got: quote(text || gas) };
    return { expected: `${expected}, and ${problem.expected}`, got: `${quote(text || gas)}: ${problem.got}` };
  });
}

/** Removes the rows with problems from an arranged file, and returns their number. */
export async function dropFaultyRows(sql: SqlSession, { first }: Problems): Promise<number> {
  const lines = [...new Set(first.map(({ line }) => line))];
  if (lines.length > 0) await dropLines(sql, lines);
  return lines.length;
}
