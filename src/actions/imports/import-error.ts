import type { ActivityReport } from "../../domain/emissions/activity-report.js";
import type { Columns } from "../../files/csv/fields.js";
import { describeExpected } from "../../files/csv/given-options.js";
import { MAX_LISTED, type Problem, type Problems } from "../../files/csv/problems.js";
import { ActionError } from "../action-error.js";

/**
 * A file with problems; nothing was imported. `details` has the first 100 problems, by line and column. If a header was
 * found, `columns` lists its columns with the field that each was read as.
 */
export class ImportError extends ActionError {
  readonly problems: Problems;

  constructor(problems: Problems, columns: Columns | undefined, activities?: ActivityReport) {
    const count = problems.count === 1 ? "a problem" : `${problems.count} problems`;
    super(
      "VALIDATION_FAILED",
      "import",
      `The file has ${count}. Nothing was imported.`,
      problems.first.slice(0, MAX_LISTED).map(describeProblem),
      {
        extensions: columns && { columns: describeColumns(columns), activities },
        maxDetails: MAX_LISTED,
      },
    );
    this.name = "ImportError";
    this.problems = problems;
  }
}

/** A file with activities whose emission factors are unresolved. Nothing was imported. */
export class UnresolvedActivities extends ActionError {
  readonly activities: ActivityReport;

  constructor(activities: ActivityReport, columns: Columns) {
    const { unresolved, unresolved_rows: rows } = activities;
    const isOne = unresolved === 1;
    const subject = `${unresolved} ${isOne ? "activity" : "activities"} in ${rows} ${rows === 1 ? "row" : "rows"} of the file`;
    const fault = `${isOne ? "has" : "have"} no definite emission factor`;
    const message = `${subject} ${fault}. Choose one of the candidates or another factor. Nothing was imported.`;
    super("UNRESOLVED_ACTIVITIES", "import", message, [], {
      extensions: { columns: describeColumns(columns), activities },
    });
    this.name = "UnresolvedActivities";
    this.activities = activities;
  }
}

const describeColumns = ({ named }: Columns) => named.map(({ name, readAs }) => ({ name, read_as: readAs }));

function describeProblem(problem: Problem) {
  const { line, column, got } = problem;
  return {
    path: column === null ? `line ${line}` : `line ${line}, column ${column}`,
    message: `expected ${describeExpected(problem)}, got ${got}`,
  };
}
