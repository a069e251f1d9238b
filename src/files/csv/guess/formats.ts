import { setImmediate } from "node:timers/promises";
import { createNumberReader, type NumberValue } from "../../../domain/numbers/read-number.js";
import type { IsoDate } from "../../../domain/window.js";
import type { GivenOptions } from "../given-options.js";
import { readDateFormat, readRecordedOn, suggestFormats } from "../values/dates.js";

/** A value of a column. */
export interface Value {
  readonly text: string;
  readonly line: number;
}

/** A value with two readings, which no other value of its column settles. */
export interface FormatQuestion extends Value {
  readonly code: "DATE_ORDER" | "DECIMAL_MARK";
  /** The readings, each with the options that lead to it. */
  readonly readings: readonly { readonly value: string; readonly options: GivenOptions }[];
}

/** Options that a column's values suggest, or a question. */
export type FormatGuess = { readonly options: GivenOptions } | { readonly question: FormatQuestion };

const NOTHING: FormatGuess = { options: {} };
/** Number of values from which formats of dates are collected. */
const MOST_SAMPLES = 100;

/** Guesses the format of dates: the one that reads most of them. Asks if two read as many, but as other days. */
export async function guessDates(values: readonly Value[], today: IsoDate): Promise<FormatGuess> {
  const names = new Set(values.slice(0, MOST_SAMPLES).flatMap(({ text }) => suggestFormats(text)));
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
 * Guesses the decimal mark of numbers: that of most of those with a single reading. Asks if none has, and one has two.
 */
export function guessNumbers(values: readonly Value[]): FormatGuess {
  const readers = ["en-GB", "de-DE"].map(createNumberReader);
  const evidence = { ".": 0, ",": 0 };
  let open: { value: Value; readings: readonly NumberValue[] } | undefined;
  let isMarked = false;
  for (const value of values) {
    const all = readers.map((read) => read(value.text)).flatMap(readingsOf);
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

function readingsOf(reading: ReturnType<ReturnType<typeof createNumberReader>>): readonly NumberValue[] {
  if ("message" in reading) return [];
  return "readings" in reading ? reading.readings : [reading];
}
