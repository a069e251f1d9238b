import { createNumberReader, listValues, type NumberValue } from "../../../domain/numbers/read-number.js";
import type { Field } from "../fields.js";
import { quote } from "../problems.js";

/** A number as a plain decimal, or the reason why it cannot be read. */
export type ColumnNumber = { readonly plain: string } | { readonly expected: string; readonly got: string };

/** Reads localized numbers of a file. */
export interface ColumnNumbers {
  /** Examines a number before it is read. Returns false if it is ambiguous and its column is not settled yet. */
  settles(field: Field, text: string, line: number): boolean;
  read(field: Field, text: string): ColumnNumber;
}

/** The decimal separator of a column, with the line that settled it. */
interface Settled {
  readonly decimal: NonNullable<NumberValue["decimal"]>;
  readonly line: number;
}

/** Creates a reader for one file. An unambiguous number settles how to read the ambiguous ones of its column. */
export function createColumnNumbers(locale: string): ColumnNumbers {
  const readNumber = createNumberReader(locale);
  const settled = new Map<Field, Settled>();
  return {
    settles(field, text, line) {
      const [first, ...others] = listValues(readNumber(text));
      if (others.length > 0) return settled.has(field);
      if (first?.decimal && !settled.has(field)) settled.set(field, { decimal: first.decimal, line });
      return true;
    },
    read(field, text) {
      const readings = listValues(readNumber(text));
      const [first] = readings;
      const column = settled.get(field);
      if (!first) return { expected: `a number as in ${locale}`, got: quote(text) };
      const fitting = readings.find(({ decimal }) => decimal === null || decimal === column?.decimal);
      if (fitting) return { plain: fitting.value };
      if (readings.length > 1) {
        const values = readings.map(({ value }) => value).join(" or ");
        const expected = "an unambiguous number, or one elsewhere in its column";
        return { expected, got: `AMBIGUOUS_NUMBER: ${quote(text)} can be read as ${values}` };
      }
      return {
        expected: `numbers with the decimal separator ${quote(column?.decimal ?? "")}, as in line ${column?.line}`,
        got: quote(text),
      };
    },
  };
}
