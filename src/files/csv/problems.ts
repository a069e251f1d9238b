import { cut, quoted } from "../quoted.js";

/** Options of a file that a problem may suggest. */
export type SuggestedOption =
  | "blank"
  | "createFacilities"
  | "dateFormat"
  | "decimalComma"
  | "delimiter"
  | "keepTotals"
  | "map"
  | "round"
  | "set"
  | "thousands"
  | "unit";

/** Options that together would accept the refused value; `true` for one without a value. */
export type Suggestion = { readonly [Name in SuggestedOption]?: string | true };

/** A problem at one place in a CSV file. */
export interface Problem {
  readonly line: number;
  /** Name in the file, cut if long; null for the whole line. */
  readonly column: string | null;
  readonly expected: string;
  readonly got: string;
  /** Alternatives, each of which may solve the problem. */
  readonly suggestions: readonly Suggestion[];
}

/** Problems of the same column with the same expected value. */
export interface ProblemKind {
  count: number;
  /** The first three. */
  readonly samples: Problem[];
}

/** The problems of one file. Counts all, and keeps the first ones and the first three of each of 100 kinds. */
export interface Problems {
  readonly first: readonly Problem[];
  readonly count: number;
  /** Maximum length of `first`. */
  readonly maxListed: number;
  readonly kinds: Iterable<ProblemKind>;
  add(
    line: number,
    column: string | null,
    expected: string,
    got: string,
    suggestions?: readonly Suggestion[],
  ): void;
  /** Adds problems that were found together. `count` includes unlisted ones, which count as the kind of the first. */
  addAll(listed: readonly Problem[], count: number): void;
}

/** Thrown if a file cannot be read from some line on, for example after an unclosed quote. */
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

/** Maximum number of problems to keep for a file. */
export const MAX_LISTED = 100;
/** Maximum number of problems to keep if the import skips the rows. */
export const MAX_REFUSED = 10_000;
const MAX_SAMPLES = 3;

/** Creates an empty collection of a file's problems. */
export function collectProblems(maxListed: number = MAX_LISTED): Problems {
  let first: Problem[] = [];
  let count = 0;
  const kinds = new Map<string, ProblemKind>();
  const addToKind = (problem: Problem, times: number) => {
    const name = JSON.stringify([problem.column, problem.expected, problem.suggestions]);
    const kind = kinds.get(name);
    if (kind === undefined) {
      if (kinds.size < MAX_LISTED) kinds.set(name, { count: times, samples: [problem] });
      return;
    }
    kind.count += times;
    if (times > 0 && kind.samples.length < MAX_SAMPLES) kind.samples.push(problem);
  };
  return {
    maxListed,
    get first() {
      return first;
    },
    get count() {
      return count;
    },
    get kinds() {
      return kinds.values();
    },
    add(line, column, expected, got, suggestions = []) {
      count += 1;
      const problem = { line, column: column && cut(column), expected, got, suggestions };
      if (first.length < maxListed) first.push(problem);
      addToKind(problem, 1);
    },
    addAll(given, total) {
      const listed = given.map((problem) => ({ ...problem, column: problem.column && cut(problem.column) }));
      count += total;
      first = [...first, ...listed].toSorted((a, b) => a.line - b.line).slice(0, maxListed);
      for (const problem of listed) addToKind(problem, 1);
      if (listed[0]) addToKind(listed[0], total - listed.length);
    },
  };
}

/** Formats a string from a file for a problem; `nothing` if it is empty. */
export const quote = (text: string): string => (text === "" ? "nothing" : quoted(text));
