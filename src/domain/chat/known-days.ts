import { addDays, addMonths, type DateRange, isIsoDate, isMonth } from "../window.js";
import { calendarOf, DAY, MONTH, readBound, span } from "./periods.js";

/** Days covered by the tools' results. */
export interface KnownDays {
  /** Ranges of days. */
  readonly spans: readonly DateRange[];
  /** Single days and months, such as a due date. */
  readonly points: readonly DateRange[];
  readonly today: string;
}

const YEAR = "(?:19|20)\\d\\d";
/** Assert that the match is not part of a longer word or number. */
const BEFORE = "(?<![\\p{L}\\p{N}.,/-])";
const AFTER = "(?![\\p{L}\\p{N}]|[.,/-]\\d)";
/**
 * Asserts that no noun follows a year: "2025 records" is a quantity. A number counts as a year only after a word such
 * as "in".
 */
const NO_NOUN =
  "(?=\\s*(?:$|[.,;:!?)](?!\\d))|,? (?:you|your|the|and|was|were|is|are|there|it|they|we|our|compared|than|emissions|but)(?!\\p{L}))";

const pattern = (source: string, after = AFTER) => new RegExp(`${BEFORE}(?:${source})${after}`, "giu");

/** Reads `YYYY-MM`, or `YYYY-MM-DD` with or without a time, as a range of days; null for any other string. */
export function readDays(text: string): DateRange | null {
  if (isMonth(text)) return span(`${text}-01`, 1);
  const day = /^\d{4}-\d\d-\d\d(?=$|T)/.exec(text)?.[0];
  return day !== undefined && isIsoDate(day) ? { from: day, to: day } : null;
}

const QUARTER = "(?:q[1-4]|(?:first|second|third|fourth) quarter)(?: of)?";
/** Patterns whose groups are days. */
const WRITTEN: readonly RegExp[] = [
  pattern("(\\d{4}-\\d\\d(?:-\\d\\d)?)"),
  pattern(`(${DAY}|${MONTH},? ${YEAR}|${QUARTER} ${YEAR})`),
  pattern(`(?:from|between) (${YEAR}) (?:to|and|until|through) (${YEAR})`, AFTER + NO_NOUN),
  pattern(
    `(?:in|during|since|for|throughout|year|vintage) (${YEAR})(?: (?:and|or|to) (?:in )?(${YEAR}))?`,
    AFTER + NO_NOUN,
  ),
];

/**
 * Returns true if a known range covers the days of a text, or they contain a known day or month. If a period includes
 * today, only its days so far must be covered.
 */
function isCovered(text: string, { spans, points, today }: KnownDays): boolean {
  const isIn = (one: DateRange, other: DateRange) => other.from <= one.from && one.to <= other.to;
  const days = /^\d{4}-/.test(text)
    ? readDays(text)
    : readBound(text.toLowerCase(), calendarOf(new Date(today)));
  if (!days) return false;
  const known = days.from <= today && today < days.to ? { from: days.from, to: today } : days;
  return spans.some((span) => isIn(known, span)) || points.some((point) => isIn(point, days));
}

/**
 * Removes words such as "last quarter" and the days that are known from the tools' results. Other days remain, so their
 * numbers are checked.
 */
export function withoutKnownDays(text: string, known: KnownDays): string {
  let rest = text;
  for (const matcher of WRITTEN) {
    rest = rest.replace(matcher, (whole: string, ...groups: (string | undefined)[]) => {
      const days = groups.slice(0, -2).flatMap((group) => group ?? []);
      return days.every((one) => isCovered(one, known)) ? "\u0001" : whole;
    });
  }
  const isYearKnown = known.spans.some(({ from, to }) => addMonths(addDays(new Date(to), 1), -12) === from);
  const words = "(?:last|this|previous|next|current|each|every|per|by) quarter";
  return (
    isYearKnown ? rest.replace(pattern("(?:last|past|previous) (?:12|twelve) months"), "\u0001") : rest
  ).replace(pattern(words, "(?! of)"), "\u0001");
}
