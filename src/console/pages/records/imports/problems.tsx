import type { Problem } from "../../../gateway/failure.js";
import { Table } from "../../../parts/table.js";
import { CHECKBOX_LABELS, DATES } from "./import-form.js";
import type { FileProblem } from "./preview.js";

/** Parses a problem of a refused import; null if it is not about a line of the file. */
export function readProblem({ path, message }: Problem): FileProblem | null {
  const [, line, column = null] = /^line (\d+)(?:, column (.*))?$/s.exec(path) ?? [];
  const [, expected = message, got = ""] = /^expected (.*), got (.*)$/s.exec(message) ?? [];
  return line === undefined ? null : { line: Number(line), column, expected, got };
}

/** Replaces parameters and formats in an expectation with the form's labels and examples. */
const inWords = (expected: string) =>
  Object.entries(CHECKBOX_LABELS)
    .reduce((text, [name, label]) => text.replaceAll(`${name}=true`, `tick “${label}”`), expected)
    .replace(/ \(or [^()]*=.*\)$/, "")
    .replace(/^(?:a decimal of )?0 (?:to|or more).*/, "a number of 0 or more")
    .replace(/^a date written as (.*)$/, (_, format: string) => `a date such as ${DATES[format] ?? format}`);

/** Describes a problem without its line number. */
export const describe = ({ column, expected, got }: FileProblem): string =>
  `${column === null ? "" : `${column}: `}expected ${inWords(expected)}, got ${got}`;

interface Group extends FileProblem {
  readonly lines: number[];
  readonly found: Set<string>;
}

const MAX_SHOWN = 5;

/** Lists the first values, with an ellipsis if more follow. */
const some = (values: readonly (string | number)[]) =>
  `${values.slice(0, MAX_SHOWN).join(", ")}${values.length > MAX_SHOWN ? ", …" : ""}`;

/** The problems in a file, grouped by kind, the most frequent first. */
export function ProblemTable({ problems, caption }: { problems: readonly FileProblem[]; caption: string }) {
  const groups = new Map<string, Group>();
  for (const problem of problems) {
    const { line, column, expected, got } = problem;
    const key = JSON.stringify([column, expected]);
    const group = groups.get(key) ?? { ...problem, lines: [], found: new Set() };
    group.lines.push(line);
    group.found.add(got);
    groups.set(key, group);
  }
  return (
    <Table
      caption={caption}
      rows={[...groups.values()].toSorted((a, b) => b.lines.length - a.lines.length)}
      columns={[
        { title: "Column", wraps: true, cell: ({ column }) => column || "Whole line" },
        { title: "Rows", isNumber: true, cell: ({ lines }) => lines.length },
        { title: "Expected", wraps: true, cell: ({ expected }) => inWords(expected) },
        { title: "Found", wraps: true, cell: ({ found }) => some([...found]) },
        { title: "Lines", wraps: true, cell: ({ lines }) => some(lines) },
      ]}
    />
  );
}
