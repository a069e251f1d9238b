import type { Columns } from "../../files/csv/fields.js";
import { describeOption } from "../../files/csv/given-options.js";
import { MOST_LISTED, type Problem, type Problems } from "../../files/csv/problems.js";
import { ActionError } from "../action-error.js";

/**
 * A file with problems, of which nothing was imported; `details` has the first 100, by line and column. Where a header was
 * found, `columns` has its columns, and what each was read as.
 */
export class ImportError extends ActionError {
  readonly problems: Problems;

  constructor(problems: Problems, columns: Columns | undefined) {
    const count = problems.count === 1 ? "a problem" : `${problems.count} problems`;
    super(
      "VALIDATION_FAILED",
      "import",
      `The file has ${count}. Nothing was imported.`,
      problems.first.map(describeProblem),
      {
        extensions: columns && {
          columns: columns.named.map(({ name, readAs }) => ({ name, read_as: readAs })),
        },
        mostDetails: MOST_LISTED,
      },
    );
    this.name = "ImportError";
    this.problems = problems;
  }
}

function describeProblem({ line, column, expected, got, suggestions }: Problem) {
  const options = suggestions.map((suggestion) =>
    Object.entries(suggestion)
      .map(([name, value]) => describeOption(name, value))
      .join("&"),
  );
  const others = options.length === 0 ? "" : ` (or ${options.join(" or ")})`;
  return {
    path: column === null ? `line ${line}` : `line ${line}, column ${column}`,
    message: `expected ${expected}${others}, got ${got}`,
  };
}
