import { addDays, type DateRange, endOfMonth } from "../../domain/window.js";

/** A number that an answer is based on. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** A publication that an answer cites. */
export interface Source {
  readonly title: string;
  readonly url: string;
}

/** The answer to one question. */
export interface Reply {
  readonly text: string;
  readonly figures: readonly Figure[];
  readonly sources: readonly Source[];
  /** Questions that can be asked next. */
  readonly followUps: readonly string[];
}

/** Creates a reply of a text and its figures. */
export const reply = (
  text: string,
  figures: readonly Figure[] = [],
  followUps: readonly string[] = [],
): Reply => ({
  text,
  figures,
  followUps,
  sources: [],
});

/** Creates the figure for a number in an answer. */
export const figure = (name: string, value: number, unit: string): Figure => ({
  name,
  value: Number(value.toFixed(6)),
  unit,
});

const ONE_DECIMAL = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const TWO_DIGITS = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 2 });
const TWO_DECIMALS = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });

/** Formats a number for a sentence: with thousands separators and at most one decimal, or two digits below 0.1. */
export const written = (value: number): string =>
  (Math.abs(value) < 0.1 ? TWO_DIGITS : ONE_DECIMAL).format(value);
/** Formats a price. */
export const priced = (value: number): string => TWO_DECIMALS.format(value);
export const UNIT = "tCO2e";
export const tonnes = (value: number): string => `${written(value)} ${UNIT}`;
/** Writes a share such as ` (2.3 %)`; nothing if there is no whole. */
export const percentOf = (part: number, whole: number): string =>
  whole === 0 ? "" : ` (${written((100 * part) / whole)} %)`;

const DAY = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });
/** Writes a day as `23 Nov 2026`. */
export const writeDay = (day: string): string => DAY.format(new Date(day)).replace("Sept", "Sep");
/** Writes the month of a day as `November 2026`. */
export const writeMonth = (day: string): string => MONTH.format(new Date(`${day.slice(0, 7)}-01`));

/** Names days by the calendar if they are a whole month, quarter or year, such as `Q3 2026`; else null. */
export function nameDays({ from, to }: DateRange): string | null {
  if (!from.endsWith("-01")) return null;
  const year = from.slice(0, 4);
  const begins = (months: number) => endOfMonth(new Date(from), months - 1) === to;
  if (begins(1)) return writeMonth(from);
  if (begins(12) && from.endsWith("-01-01")) return year;
  const quarter = ["01", "04", "07", "10"].indexOf(from.slice(5, 7)) + 1;
  return begins(3) && quarter > 0 ? `Q${quarter} ${year}` : null;
}

/** Describes the days of an answer, such as `in October 2026` or `from 3 Feb 2026 to 10 Feb 2026`. */
export function ofDays(days: DateRange): string {
  const { from, to } = days;
  const name = nameDays(days);
  if (name) return `in ${name}`;
  if (from === to) return `on ${writeDay(from)}`;
  const areMonths = from.endsWith("-01") && addDays(new Date(to), 1).endsWith("-01");
  return areMonths
    ? `from ${writeMonth(from)} to ${writeMonth(to)}`
    : `from ${writeDay(from)} to ${writeDay(to)}`;
}

/** Returns the publications of quoted values, each once. */
export const distinct = (
  quoted: readonly { readonly source?: string | null; readonly sourceUrl?: string | null }[],
): Source[] => [
  ...new Map(
    quoted.flatMap(({ source, sourceUrl: url }) => {
      return url ? [[`${source} ${url}`, { title: source ?? url, url }] as const] : [];
    }),
  ).values(),
];

/** Returns a count with its noun, such as `1 record` or `2 records`. */
export const counted = (count: number, noun: string): string =>
  `${written(count)} ${noun}${count === 1 ? "" : "s"}`;

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
