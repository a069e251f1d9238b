import { FILE_TEXTS } from "../../../domain/emissions/record-parts.js";
import { withoutGuard } from "../../../domain/texts/guard.js";
import { isWithinLimit, TEXT_LIMITS } from "../../../domain/texts/text-limits.js";
import type { RowRules } from "../csv-options.js";
import { type Columns, FIELDS, type Field } from "../fields.js";
import { type Problems, quote, type Suggestion } from "../problems.js";

/** Maximum lengths, in characters. */
const MAX_LENGTH = {
  facility: TEXT_LIMITS.reference,
  facility_name: TEXT_LIMITS.name,
  reference: TEXT_LIMITS.reference,
  ...FILE_TEXTS,
  unit: TEXT_LIMITS.name,
  activity: TEXT_LIMITS.name,
  region: TEXT_LIMITS.name,
  detail: TEXT_LIMITS.name,
  gas: TEXT_LIMITS.name,
  factor_id: TEXT_LIMITS.name,
  source_factor_id: TEXT_LIMITS.name,
} as const;

/** The current row: one object for all rows of a file. */
export interface Row {
  readonly line: number;
  next(cells: readonly string[], line: number): void;
  /** Returns a field's trimmed string; empty if the row has none. */
  textOf(field: Field): string;
  /** Returns a field's string; undefined if it is empty. Adds a problem if it cannot be stored. */
  readText(field: keyof typeof MAX_LENGTH): string | undefined;
  /** Adds a problem. */
  refuse(field: Field, expected: string, got: string, suggestions?: readonly Suggestion[]): void;
}

/** Creates the row of a file. Cells whose value is in `blank` count as empty. */
export function createRow(
  columns: Columns,
  { blank, literal }: Pick<RowRules, "blank" | "literal">,
  problems: Problems,
): Row {
  let cells: readonly string[] = [];
  let line = 0;
  const emptyIfBlank = (text: string) => (blank.size > 0 && blank.has(text) ? "" : text);
  // One function per field, created once, because looking up fields would take most of the time.
  const readers = Object.fromEntries(
    FIELDS.map((field) => {
      const source = columns.sources.get(field);
      if (source === undefined) return [field, () => ""];
      if ("value" in source) return [field, () => source.value];
      const { index } = source;
      const read = () => emptyIfBlank(cells[index]?.trim() ?? "");
      return [field, literal || !(field in MAX_LENGTH) ? read : () => withoutGuard(read())];
    }),
  ) as Record<Field, () => string>;
  const refuse: Row["refuse"] = (field, expected, got, suggestions) => {
    problems.add(line, columns.sources.get(field)?.name ?? field, expected, got, suggestions);
  };
  return {
    get line() {
      return line;
    },
    next(nextCells, nextLine) {
      cells = nextCells;
      line = nextLine;
    },
    textOf: (field) => readers[field](),
    readText(field) {
      const text = readers[field]();
      if (text === "") return undefined;
      const max = MAX_LENGTH[field];
      if (!isWithinLimit(text, max)) {
        refuse(field, `at most ${max} characters`, `${quote(text)}, of ${[...text].length}`);
      }
      if (text.includes("\0")) refuse(field, "a string without NUL characters", quote(text));
      return text;
    },
    refuse,
  };
}
