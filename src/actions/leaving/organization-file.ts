import type { MovingTable } from "../../data/organizations/organization-rows.js";
import { OperatorError } from "../../errors.js";

/** First line of a file. The others are tables, each followed by its rows, and an End. */
export interface Head {
  readonly format: typeof FORMAT;
  /** Last migration of the database. Another database needs the same. */
  readonly migration: string;
  /** Version of the gateway. */
  readonly gateway: string;
  /** ISO 8601. */
  readonly exported_at: string;
  readonly organization: { readonly id: string; readonly slug: string; readonly name: string };
}
export const FORMAT = "carbon-gateway-organization-1";

/** Last line of a file. */
export interface End {
  /** Number of rows in the file. */
  readonly rows: number;
}

/** A row, as text. */
export type Row = readonly (string | null)[];

/** Formats a line of a file. */
export const toLine = (value: object) => Buffer.from(`${JSON.stringify(value)}\n`);

/** A line of a file, read as JSON. */
export interface Line {
  readonly number: number;
  readonly value: unknown;
}

/** Throws OperatorError for a fault of the file. */
export function refuse(path: string, line: number, fault: string): never {
  throw new OperatorError(`${path}, line ${line}: ${fault}. Nothing was imported.`);
}

/** Maximum length of a line. A row has texts of a few megabytes at most. */
const MAX_LINE_LENGTH = 16 * 1024 * 1024;

/** Reads the lines of a file. Throws OperatorError for a line that is not JSON, is too long or does not end. */
export async function* readLines(path: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let rest = "";
  const attempt = <T>(line: number, expected: string, work: () => T): T => {
    try {
      return work();
    } catch {
      return refuse(path, line, `expected ${expected}`);
    }
  };
  for await (const chunk of chunks) {
    const lines = (
      rest +
      attempt(number + 1, "UTF-8 here or in the next lines", () => decoder.decode(chunk, { stream: true }))
    ).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      number += 1;
      yield { number, value: attempt(number, "JSON", () => JSON.parse(line)) };
    }
    if (rest.length > MAX_LINE_LENGTH)
      refuse(path, number + 1, `expected at most ${MAX_LINE_LENGTH} characters`);
  }
  if (rest !== "") refuse(path, number + 1, "expected a line break at the end");
}

/** Reads a row of a table; undefined if the line has something else. */
export const readRow = (value: readonly unknown[], table: MovingTable | undefined): Row | undefined =>
  value.length === table?.columns.length && value.every((text) => text === null || typeof text === "string")
    ? (value as Row)
    : undefined;

/** Reads the last line; undefined if it is another. */
export function readEnd(value: unknown): End | undefined {
  const { rows } = (value ?? {}) as Partial<End>;
  return typeof rows === "number" ? { rows } : undefined;
}

/** Reads the line before the rows of a table, one of the `missing`; undefined if it is another. */
export function readTable(
  value: unknown,
  missing: ReadonlyMap<string, MovingTable>,
): MovingTable | undefined {
  const { table: name, columns } = (value ?? {}) as { readonly table?: unknown; readonly columns?: unknown };
  const table = missing.get(String(name));
  return table && JSON.stringify(table.columns) === JSON.stringify(columns) ? table : undefined;
}
