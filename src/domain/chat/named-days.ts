import { addDays, addMonths, type DateRange, endOfMonth, isIsoDate, isMonth } from "../window.js";

/** Days that the tools' answers cover. */
export interface KnownDays {
  /** Ranges of days. */
  readonly spans: readonly DateRange[];
  /** Single days and months, such as a due date. */
  readonly points: readonly DateRange[];
  readonly today: string;
}

const MONTHS =
  "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?";
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
const ORDINAL = "(?:st|nd|rd|th)?";

const pattern = (source: string, after = AFTER) => new RegExp(`${BEFORE}(?:${source})${after}`, "giu");
const monthsFrom = (year: string, month: number, count: number): DateRange => {
  const from = `${year}-${String(month).padStart(2, "0")}-01`;
  return { from, to: endOfMonth(new Date(from), count - 1) };
};
const numberOf = (month: string) =>
  "janfebmaraprmayjunjulaugsepoctnovdec".indexOf(month.slice(0, 3).toLowerCase()) / 3 + 1;
const dayOf = (year: string, month: string, day: string): DateRange => {
  const date = `${year}-${String(numberOf(month)).padStart(2, "0")}-${day.padStart(2, "0")}`;
  return { from: date, to: date };
};
const yearOf = (year: string) => monthsFrom(year, 1, 12);
const ORDINALS = ["first", "second", "third", "fourth"];

/** Reads `YYYY-MM-DD` or `YYYY-MM`, also with a time, as a range of days; null for any other string. */
export function readDays(text: string): DateRange | null {
  if (isMonth(text)) return monthsFrom(text.slice(0, 4), Number(text.slice(5)), 1);
  const day = /^\d{4}-\d\d-\d\d(?=$|T)/.exec(text)?.[0];
  return day !== undefined && isIsoDate(day) ? { from: day, to: day } : null;
}

type Reader = readonly [RegExp, (groups: readonly string[]) => readonly DateRange[]];
const READERS: readonly Reader[] = [
  [pattern("(\\d{4}-\\d\\d(?:-\\d\\d)?)"), ([text = ""]) => [readDays(text) ?? { from: "", to: "9" }]],
  [
    pattern(`(\\d{1,2})${ORDINAL} (${MONTHS}),? (${YEAR})`),
    ([day = "", month = "", year = ""]) => [dayOf(year, month, day)],
  ],
  [
    pattern(`(${MONTHS}) (\\d{1,2})${ORDINAL},? (${YEAR})`),
    ([month = "", day = "", year = ""]) => [dayOf(year, month, day)],
  ],
  [pattern(`(${MONTHS}),? (${YEAR})`), ([month = "", year = ""]) => [monthsFrom(year, numberOf(month), 1)]],
  [
    pattern(`Q([1-4])(?: of)? (${YEAR})`),
    ([quarter, year = ""]) => [monthsFrom(year, 3 * Number(quarter) - 2, 3)],
  ],
  [
    pattern(`(${ORDINALS.join("|")}) quarter(?: of)? (${YEAR})`),
    ([word = "", year = ""]) => [monthsFrom(year, 3 * ORDINALS.indexOf(word.toLowerCase()) + 1, 3)],
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
      const days = read(groups.slice(0, -2));
      return days.every((one) => isCovered(one, known)) ? "\u0001" : whole;
    });
  }
  return rest
    .replace(pattern("(?:last|past|previous) (?:12|twelve) months"), (whole) =>
      hasMonths(12, known) ? "\u0001" : whole,
    )
    .replace(pattern("(?:last|this|previous|next|current|each|every|per|by) quarter", "(?! of)"), "\u0001");
}
