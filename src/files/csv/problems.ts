import { quoted } from "../../commands/terminal.js";

/** What is wrong at one place of a CSV file. */
export interface Problem {
  readonly line: number;
  /** The column's name in the file; null if the whole line is meant. */
  readonly column: string | null;
  readonly expected: string;
  readonly got: string;
}

/** Problems of one kind: the same was expected of the same column. */
interface ProblemKind {
  count: number;
  /** The first of them. */
  readonly samples: Problem[];
}

/** The problems of one file: all are counted, and the first 100 are kept, as are the first few of each kind. */
export interface Problems {
  readonly first: readonly Problem[];
  readonly count: number;
  readonly kinds: Iterable<ProblemKind>;
  add(line: number, column: string | null, expected: string, got: string): void;
  /** Adds problems of one kind that were found together; `count` includes those that are not listed. */
  addAll(listed: readonly Problem[], count: number): void;
}

/** A file that cannot be read any further from some line on, such as after a quote that is never closed. */
export class UnreadableCsv extends Error {
  readonly line: number;
  readonly expected: string;
  readonly got: string;

  constructor(line: number, expected: string, got: string) {
    super(`line ${line}: expected ${expected}, got ${got}`);
    this.name = "UnreadableCsv";
    this.line = line;
    this.expected = expected;
    this.got = got;
  }
}

/** How many problems of a file are listed. */
export const MOST_LISTED = 100;
const MOST_SAMPLES = 3;

export function collectProblems(): Problems {
  let first: Problem[] = [];
  let count = 0;
  const kinds = new Map<string, ProblemKind>();
  const addToKind = (problem: Problem, times: number) => {
    const name = JSON.stringify([problem.column, problem.expected]);
    const kind = kinds.get(name);
    if (kind === undefined) {
      if (kinds.size < MOST_LISTED) kinds.set(name, { count: times, samples: [problem] });
      return;
    }
    kind.count += times;
    if (times > 0 && kind.samples.length < MOST_SAMPLES) kind.samples.push(problem);
  };
  return {
    get first() {
      return first;
    },
    get count() {
      return count;
    },
    get kinds() {
      return kinds.values();
    },
    add(line, column, expected, got) {
      count += 1;
      const problem = { line, column, expected, got };
      if (first.length < MOST_LISTED) first.push(problem);
      addToKind(problem, 1);
    },
    addAll(listed, total) {
      count += total;
      first = [...first, ...listed].toSorted((a, b) => a.line - b.line).slice(0, MOST_LISTED);
      for (const problem of listed) addToKind(problem, 1);
      if (listed[0]) addToKind(listed[0], total - listed.length);
    },
  };
}

/** A text of a file, as a problem shows it. */
export const quote = (text: string): string => (text === "" ? "nothing" : quoted(text));

/** A line for each problem, or for many of one kind, in the order of the file; and one for those that are not listed. */
export function describeProblems({ kinds, count }: Pick<Problems, "kinds" | "count">): string {
  const found = [...kinds];
  const entries = found.flatMap(describeKind).toSorted((a, b) => a.line - b.line);
  const rest = count - found.reduce((sum, kind) => sum + kind.count, 0);
  const lines = entries.map(({ text }) => text);
  return [...lines, ...(rest > 0 ? [`… and ${rest} more.`] : [])].join("\n");
}

function describeKind({ count, samples }: ProblemKind): { line: number; text: string }[] {
  const columnOf = ({ column }: Problem) => (column === null ? "" : `, column ${JSON.stringify(column)}`);
  const [sample] = samples;
  if (sample === undefined || count === samples.length) {
    return samples.map((problem) => {
      const { line, expected, got } = problem;
      return { line, text: `line ${line}${columnOf(problem)}: expected ${expected}, got ${got}` };
    });
  }
  const got = [...new Set(samples.map((problem) => problem.got))].join(", ");
  const lines = [...new Set(samples.map(({ line }) => line))].join(", ");
  const text = `${count} rows${columnOf(sample)}: expected ${sample.expected}, got ${got}, first in lines ${lines}`;
  return [{ line: sample.line, text }];
}
