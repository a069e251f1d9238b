import { formatDay } from "../../domain/insights/insight.js";
import { capitalize } from "../../domain/texts/capitalize.js";
import { countOf } from "../../domain/texts/count-of.js";
import { addDays, type DateRange, endOfMonth } from "../../domain/window.js";
import { nameMonth } from "../foresight/explain.js";

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
  /** Suggested next questions. */
  readonly followUps: readonly string[];
}

export const reply = (
  text: string,
  figures: readonly Figure[] = [],
  followUps: readonly string[] = [],
): Reply => ({ text, figures, followUps, sources: [] });

export const figure = (name: string, value: number, unit: string): Figure => ({
  name,
  value: Number(value.toFixed(6)),
  unit,
});

/** A line of an answer and its figure. A row without a value has a note or a whole line instead. */
export interface Row {
  readonly name: string;
  readonly value: number | null;
  readonly unit: string;
  /** Text after the value. */
  readonly note?: string;
  /** The whole line, instead of the name and value. */
  readonly line?: string;
}

interface ListOptions {
  /** Maximum number of rows to show. */
  readonly max?: number;
  /** Total number of rows, if not all are given. */
  readonly all?: string | undefined;
  /** The last line. */
  readonly foot?: string;
  readonly followUps?: readonly string[];
  /** Values whose publications the reply cites. */
  readonly quoted?: readonly Quoted[];
}

/** Creates a reply with a line per row, by default at most 10. */
export function list(
  head: string,
  rows: readonly Row[],
  { max = 10, all = String(rows.length), foot = "", followUps = [], quoted = [] }: ListOptions = {},
): Reply {
  const shown = rows.slice(0, max);
  const lines = shown.map(({ name, value, unit, note = "", line }) => {
    const write = unit.includes("/") ? EXACT.format : formatNumber;
    const amount = value === null ? "" : `${write(value)} ${unit.replace("/", " per ")}`;
    return line ?? `${capitalize(name)}: ${amount}${note}`;
  });
  const cut = shown.length < rows.length ? `, ${shown.length} of ${all}` : "";
  return {
    text: [`${head}${cut}:`, ...lines, foot].filter(Boolean).join("\n"),
    figures: shown.flatMap(({ name, value, unit }) =>
      value === null ? [] : [figure(capitalize(name), value, unit)],
    ),
    followUps,
    sources: sourcesOf(quoted.slice(0, max)),
  };
}

const ONE_DECIMAL = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const EXACT = new Intl.NumberFormat("en-US", { maximumFractionDigits: 20 });
const TWO_DIGITS = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 2 });

/** Formats a number with thousands separators and at most one decimal, or with two significant digits below 0.1. */
export const formatNumber = (value: number): string =>
  (Math.abs(value) < 0.1 ? TWO_DIGITS : ONE_DECIMAL).format(value);
export const UNIT = "tCO2e";
export const formatTonnes = (value: number): string => `${formatNumber(value)} ${UNIT}`;
/** Formats a share as ` (2.3 %)`; empty if the whole is zero. */
export const formatShare = (part: number, whole: number): string =>
  whole === 0 ? "" : ` (${formatNumber((100 * part) / whole)} %)`;

/** Formats the month of a day or month as `November 2026`. */
export const formatMonth = (day: string): string => nameMonth(day.slice(0, 7));

/** Names a whole calendar month, quarter or year, such as `Q3 2026`; null for other days. */
export function nameDays({ from, to }: DateRange): string | null {
  if (!from.endsWith("-01")) return null;
  const year = from.slice(0, 4);
  const begins = (months: number) => endOfMonth(new Date(from), months - 1) === to;
  if (begins(1)) return formatMonth(from);
  if (begins(12) && from.endsWith("-01-01")) return year;
  const quarter = ["01", "04", "07", "10"].indexOf(from.slice(5, 7)) + 1;
  return begins(3) && quarter > 0 ? `Q${quarter} ${year}` : null;
}

/** Describes a range of days, such as `in October 2026` or `from 3 Feb 2026 to 10 Feb 2026`. */
export function describeDays(days: DateRange): string {
  const { from, to } = days;
  const name = nameDays(days);
  if (name) return `in ${name}`;
  if (from === to) return `on ${formatDay(from)}`;
  const areMonths = from.endsWith("-01") && addDays(new Date(to), 1).endsWith("-01");
  const write = areMonths ? formatMonth : formatDay;
  return `from ${write(from)} to ${write(to)}`;
}

interface Quoted {
  readonly source?: string | null;
  readonly sourceUrl?: string | null;
}

/** Returns the publications of quoted values, each once. */
export const sourcesOf = (quoted: readonly Quoted[]): Source[] => [
  ...new Map(
    quoted.flatMap(({ source, sourceUrl: url }) => {
      return url ? [[`${source} ${url}`, { title: source ?? url, url }] as const] : [];
    }),
  ).values(),
];

/** Formats a count with its noun, such as `1 record` or `2 records`. */
export const formatCount = (count: number, noun: string): string => countOf(count, noun, formatNumber);
