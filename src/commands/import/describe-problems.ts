import type { Problem, ProblemKind, Problems, Suggestion } from "../../files/csv/problems.js";
import { flagOf } from "../failures.js";

/** Describes problems, one per line, in the order of the file. Problems of a frequent kind share a line. */
export function describeProblems({ kinds, count }: Pick<Problems, "kinds" | "count">): string {
  const found = [...kinds];
  const entries = found.flatMap(describeKind).toSorted((a, b) => a.line - b.line);
  const rest = count - found.reduce((sum, kind) => sum + kind.count, 0);
  const lines = entries.map(({ text }) => text);
  return [...lines, ...(rest > 0 ? [`… and ${rest} more.`] : [])].join("\n");
}

/** Describes the expected value, and any options that would help: `at most 6 decimals (or --round)`. */
export function describeExpected({ expected, suggestions }: Problem): string {
  if (suggestions.length === 0) return expected;
  return `${expected} (or ${suggestions.map(describeSuggestion).join(" or ")})`;
}

/** Returns the flags of a suggestion: `--decimal-comma --thousands`. */
export function describeSuggestion(suggestion: Suggestion): string {
  return Object.entries(suggestion)
    .map(([name, value]) => (value === true ? flagOf(name) : `${flagOf(name)} ${shellText(name, value)}`))
    .join(" ");
}

/** Quotes a delimiter, because shells interpret most of the possible ones. */
function shellText(name: string, value: string): string {
  return name === "delimiter" ? `'${value === "\t" ? "\\t" : value}'` : value;
}

const columnOf = ({ column }: Problem) => (column === null ? "" : `, column ${JSON.stringify(column)}`);

export const describeProblem = (problem: Problem): string =>
  `line ${problem.line}${columnOf(problem)}: expected ${describeExpected(problem)}, got ${problem.got}`;

function describeKind({ count, samples }: ProblemKind): { line: number; text: string }[] {
  const [sample] = samples;
  if (sample === undefined || count === samples.length) {
    return samples.map((problem) => ({ line: problem.line, text: describeProblem(problem) }));
  }
  const got = [...new Set(samples.map((problem) => problem.got))].join(", ");
  const lines = [...new Set(samples.map(({ line }) => line))].join(", ");
  const expected = describeExpected(sample);
  const text = `${count} rows${columnOf(sample)}: expected ${expected}, got ${got}, first in lines ${lines}`;
  return [{ line: sample.line, text }];
}
