import type { DateRange } from "../../domain/window.js";

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

/** Creates a reply without figures. */
export const saying = (text: string, followUps: readonly string[] = []): Reply => ({
  text,
  followUps,
  figures: [],
  sources: [],
});

const FORMAT = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });

/** Formats a number for an answer: with thousands separators, and at most 3 decimals. */
export const written = (value: number): string => FORMAT.format(value);

/** Describes the days of an answer. */
export const ofDays = ({ from, to }: DateRange): string =>
  from === to ? `on ${from}` : `from ${from} to ${to}`;

/** Creates the figure for a number in an answer. */
export const figure = (name: string, value: number, unit: string): Figure => ({ name, value, unit });

/** Returns each source once. */
export const distinct = (sources: readonly (Source | null)[]): Source[] => [
  ...new Map(
    sources.flatMap((source) => (source ? [[`${source.title} ${source.url}`, source] as const] : [])),
  ).values(),
];

/** Returns a count with its noun, such as `1 record` or `2 records`. */
export const counted = (count: number, noun: string): string =>
  `${written(count)} ${noun}${count === 1 ? "" : "s"}`;
