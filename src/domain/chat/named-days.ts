import { addDays, addMonths, type DateRange, isIsoDate, isMonth } from "../window.js";
import { calendarOf, DAY, MONTH, monthStart, quarterIndex, readEnd, span } from "./periods.js";

/** Days that the tools' answers cover. */
export interface KnownDays {
  /** Ranges of days. */
  readonly spans: readonly DateRange[];
  /** Single days and months, such as a due date. */
  readonly points: readonly DateRange[];
  readonly today: string;
}

const YEAR = "(?:19|20)\\d\\d";
/** Asserts that the match does not continue a longer number. */
const BEFORE = "(?<![\\p{L}\\p{N}.,/-])";
const AFTER = "(?![\\p{L}\\p{N}]|[.,/-]\\d)";
/**
 * Asserts that no noun follows a year: "2025 records" is a quantity. A bare number, without a word such as "in" before
 * it, is never read as a year.
 */
const NO_NOUN =
  "(?=\\s*(?:$|[.,;:!?)](?!\\d))|,? (?:you|your|the|and|was|were|is|are|there|it|they|we|our|compared|than|emissions|but)(?!\\p{L}))";

const pattern = (source: string, after = AFTER) => new RegExp(`${BEFORE}(?:${source})${after}`, "giu");
const yearOf = (year: string) => span(`${year}-01-01`, 12);

/** Reads `YYYY-MM-DD` or `YYYY-MM`, also with a time, as a range of days; null for any other string. */
export function readDays(text: string): DateRange | null {
  if (isMonth(text)) return span(`${text}-01`, 1);
  const day = /^\d{4}-\d\d-\d\d(?=$|T)/.exec(text)?.[0];
  return day !== undefined && isIsoDate(day) ? { from: day, to: day } : null;
}

type Reader = readonly [RegExp, (groups: readonly string[], today: string) => readonly DateRange[]];
const READERS: readonly Reader[] = [
  [pattern("(\\d{4}-\\d\\d(?:-\\d\\d)?)"), ([text = ""]) => [readDays(text) ?? { from: "", to: "9" }]],
  [
    pattern(`(${DAY}|${MONTH},? ${YEAR}|Q[1-4](?: of)? ${YEAR})`),
    ([text = ""], today) => [readEnd(text.toLowerCase(), calendarOf(new Date(today)))],
  ],
  [
    pattern(`(first|second|third|fourth) quarter(?: of)? (${YEAR})`),
    ([word, year]) => [span(monthStart(Number(year), 3 * quarterIndex("", word?.toLowerCase())), 3)],
  ],
  [
    pattern(`(?:from|between) (${YEAR}) (?:to|and|until|through) (${YEAR})`, AFTER + NO_NOUN),
    ([first = "", second = ""]) => [yearOf(first), yearOf(second)],
  ],
  [
    pattern(
      `(?:in|during|since|for|throughout|year|vintage) (${YEAR})(?: (?:and|or|to) (?:in )?(${YEAR}))?`,
      AFTER + NO_NOUN,
    ),
    (years) => years.filter((year) => year !== undefined).map(yearOf),
  ],
];

/**
 * Returns true if the tools' answers cover these days; if a period includes today, only its days so far need to be
 * covered.
 */
function isCovered(days: DateRange, { spans, points, today }: KnownDays): boolean {
  const isIn = (one: DateRange, other: DateRange) => other.from <= one.from && one.to <= other.to;
  const known = days.from <= today && today < days.to ? { from: days.from, to: today } : days;
  return spans.some((span) => isIn(known, span)) || points.some((point) => isIn(point, days));
}

const hasMonths = (months: number, { spans }: KnownDays) =>
  spans.some(({ from, to }) => addMonths(addDays(new Date(to), 1), -months) === from);

/**
 * Removes from a text the days that the tools' answers cover, and words such as "last quarter". Other days remain, so
 * that their numbers are checked.
 */
export function withoutKnownDays(text: string, known: KnownDays): string {
  let rest = text;
  for (const [matcher, read] of READERS) {
    rest = rest.replace(matcher, (whole: string, ...groups: string[]) => {
      const days = read(groups.slice(0, -2), known.today);
      return days.every((one) => isCovered(one, known)) ? "\u0001" : whole;
    });
  }
  return rest
    .replace(pattern("(?:last|past|previous) (?:12|twelve) months"), (whole) =>
      hasMonths(12, known) ? "\u0001" : whole,
    )
    .replace(pattern("(?:last|this|previous|next|current|each|every|per|by) quarter", "(?! of)"), "\u0001");
}
