import { setImmediate } from "node:timers/promises";
import { createNumberReader, listValues, type NumberValue } from "../../../domain/numbers/read-number.js";
import type { IsoDate } from "../../../domain/window.js";
import type { GivenOptions } from "../given-options.js";
import { readDateFormat, readRecordedOn, suggestFormats } from "../values/dates.js";

export interface Value {
  readonly text: string;
  readonly line: number;
}

/** An ambiguous value that no other value of its column settles. */
export interface FormatQuestion extends Value {
  readonly code: "DATE_ORDER" | "DECIMAL_MARK";
  /** Possible readings, each with the options that select it. */
  readonly readings: readonly { readonly value: string; readonly options: GivenOptions }[];
}

/** Options that a column's values suggest, or a question. */
export type FormatGuess = { readonly options: GivenOptions } | { readonly question: FormatQuestion };

const NOTHING: FormatGuess = { options: {} };
/** Number of values that suggest date formats. */
const MAX_SAMPLES = 100;

/**
 * Guesses the date format that reads the most values. Returns a question if two formats read equally many, but as
 * different days.
 */
export async function guessDates(values: readonly Value[], today: IsoDate): Promise<FormatGuess> {
  const names = new Set(values.slice(0, MAX_SAMPLES).flatMap(({ text }) => suggestFormats(text)));
  const read = (name: string | undefined) => {
    const dateFormat = name === undefined ? undefined : readDateFormat(name);
    const days = values.map(({ text }) => {
      const found = readRecordedOn(text, { dateFormat, today });
      return "day" in found ? found.day : undefined;
    });
    return { dateFormat, days, count: days.filter((day) => day !== undefined).length };
  };
  const found: ReturnType<typeof read>[] = [];
  for (const name of [undefined, ...names]) {
    found.push(read(name));
    await setImmediate();
  }
  const [best, second] = found.toSorted((a, b) => b.count - a.count);
  if (best === undefined || best.count === 0 || best.dateFormat === undefined) return NOTHING;
  if (second?.count !== best.count) return { options: { dateFormat: best.dateFormat } };
  const at = best.days.findIndex((day, index) => day !== second.days[index]);
  const value = values[at];
  if (value === undefined) return { options: { dateFormat: best.dateFormat } };
  const readings = [best, second].map(({ dateFormat, days }) => ({
    value: days[at] ?? "",
    options: { dateFormat },
  }));
  return { question: { ...value, code: "DATE_ORDER", readings } };
}

const MARKS = { ".": { decimalComma: false, thousands: true }, ",": { decimalComma: true, thousands: true } };

/**
 * Guesses the decimal mark that most unambiguous numbers have. Without a majority, returns a question about the first
 * ambiguous number, if any.
 */
export function guessNumbers(values: readonly Value[]): FormatGuess {
  const readers = ["en-GB", "de-DE"].map(createNumberReader);
  const evidence = { ".": 0, ",": 0 };
  let open: { value: Value; readings: readonly NumberValue[] } | undefined;
  let isMarked = false;
  for (const value of values) {
    const all = readers.flatMap((read) => listValues(read(value.text)));
    const readings = [...new Map(all.map((reading) => [reading.value, reading])).values()];
    const [first] = readings;
    if (readings.length > 1) open ??= { value, readings };
    else if (first?.decimal) evidence[first.decimal] += 1;
    isMarked ||= first !== undefined && /\D/.test(value.text);
  }
  const { ".": points, ",": commas } = evidence;
  if (points + commas > 0 && points !== commas) {
    return { options: points > commas ? MARKS["."] : MARKS[","] };
  }
  if (open === undefined) return isMarked ? { options: MARKS["."] } : NOTHING;
  const readings = open.readings.flatMap(({ value, decimal }) =>
    decimal === null ? [] : [{ value, options: MARKS[decimal] }],
  );
  return { question: { ...open.value, code: "DECIMAL_MARK", readings } };
}
