import { quoted } from "./terminal.js";

/** What is wrong at one place of a CSV file. */
export interface Problem {
  readonly line: number;
  /** The column's name in the file; null for what concerns the whole line. */
  readonly column: string | null;
  readonly expected: string;
  readonly got: string;
}

/** The problems of one file: the first 100 are kept, all are counted. */
export interface Problems {
  readonly first: readonly Problem[];
  readonly count: number;
  add(line: number, column: string | null, expected: string, got: string): void;
}

/** A file that cannot be read on from some line, such as for a quote that is never closed. */
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

/** Of the problems of a file. */
export const MOST_LISTED = 100;

export function collectProblems(): Problems {
  const first: Problem[] = [];
  let count = 0;
  return {
    first,
    get count() {
      return count;
    },
    add(line, column, expected, got) {
      count += 1;
      if (first.length < MOST_LISTED) first.push({ line, column, expected, got });
    },
  };
}

/** A text of a file, as a problem shows it. */
export const quote = (text: string): string => (text === "" ? "nothing" : quoted(text));

/** One line for each problem that is listed, and one for the rest. */
export function describeProblems({ first, count }: Pick<Problems, "first" | "count">): string {
  const lines = first.map(({ line, column, expected, got }) => {
    const where = column === null ? `line ${line}` : `line ${line}, column ${JSON.stringify(column)}`;
    return `${where}: expected ${expected}, got ${got}`;
  });
  const rest = count - first.length;
  return [...lines, ...(rest > 0 ? [`… and ${rest} more.`] : [])].join("\n");
}
