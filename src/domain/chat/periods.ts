import {
  addDays,
  addMonths,
  type DateRange,
  type IsoDate,
  isIsoDate,
  isoDate,
  lastTwelveMonths,
} from "../window.js";
import type { OpenText } from "./text.js";

export const MONTHS =
  "january february march april may june july august september october november december".split(" ");
const NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split(" ");

/** `may` is a month only next to a year, or after a word such as `in`. */
export const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
/** A year, but not the first half of a financial year such as 2025-26, nor part of a longer number. */
export const YEAR = "(?<![\\d.,/-])(?:19|20)\\d\\d(?![\\d/-]|[.,]\\d)";
export const NUMBER = `(?:\\d{1,3}|${NUMBERS.join("|")})`;
export const DAY = `(?:\\d{4}-\\d\\d-\\d\\d|\\d{1,2}(?:st|nd|rd|th)? (?:of )?${MONTH},? ${YEAR}|${MONTH} \\d{1,2}(?:st|nd|rd|th)?,? ${YEAR})`;
/** Start or end of a range. */
const END = `(?:${DAY}|${MONTH} ${YEAR}|(?:the )?(?:start|beginning) of ${YEAR}|q[1-4] ${YEAR}|${MONTH}|${YEAR}|today|now)`;

const pattern = (source: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, "u");

/** Days named in a question, of which those up to today count. */
export interface ReadPeriod extends DateRange {
  /** True if the days include today, so the period is not over. */
  readonly isRunning: boolean;
  /** Last day of the whole period, such as 31 December of the current year. */
  readonly end: IsoDate;
}

/** A named period; or the reason why it cannot be answered for, with phrases to say instead. */
export type PeriodOrFault = ReadPeriod | { readonly fault: string; readonly phrases: readonly string[] };

export const monthIndex = (name: string) => MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3)));
export const numberOf = (text: string) => NUMBERS.indexOf(text) + 1 || Number(text);
export const monthStart = (year: number, index: number): IsoDate =>
  isoDate(new Date(Date.UTC(year, index, 1)));
const lastDay = (nextStart: IsoDate) => addDays(new Date(nextStart), -1);
export const span = (from: IsoDate, months: number): DateRange => ({
  from,
  to: lastDay(addMonths(from, months)),
});

interface Calendar {
  readonly today: IsoDate;
  readonly year: number;
  readonly month: IsoDate;
  readonly quarter: IsoDate;
}

export function calendarOf(now: Date): Calendar {
  const [year, index] = [now.getUTCFullYear(), now.getUTCMonth()];
  return {
    today: isoDate(now),
    year,
    month: monthStart(year, index),
    quarter: monthStart(year, index - (index % 3)),
  };
}

/** Returns the latest period with this month's name, or this quarter's number, that has begun before or on `today`. */
function latest(index: number, months: number, { today, year }: Calendar, margin = 0): DateRange {
  const thisYear = span(monthStart(year, index), months);
  return addDays(new Date(thisYear.from), margin) <= today
    ? thisYear
    : span(monthStart(year - 1, index), months);
}

export const quarterIndex = (digit?: string, word = "") =>
  digit ? Number(digit) - 1 : ["first", "second", "third", "fourth"].indexOf(word);
const yearOf = (which: string, { year }: Calendar) => (which === "last" ? year - 1 : year);

type Read = (match: RegExpExecArray, calendar: Calendar, now: Date) => DateRange;

/** Returns the first and last day of a phrase such as `March 2025`. */
export function readEnd(text: string, calendar: Calendar): DateRange {
  const { today } = calendar;
  if (text === "today" || text === "now") return { from: today, to: today };
  if (/^\d{4}-/.test(text)) return { from: text, to: text };
  const year = Number(new RegExp(YEAR).exec(text)?.[0] ?? Number.NaN);
  const quarter = /^q([1-4])/.exec(text)?.[1];
  if (quarter) return span(monthStart(year, 3 * (Number(quarter) - 1)), 3);
  const name = new RegExp(MONTH).exec(text)?.[0];
  if (name === undefined) return span(`${year}-01-01`, 12);
  const index = monthIndex(name);
  const day = /(?<!\d)(\d{1,2})(?!\d)/.exec(text)?.[1];
  if (day !== undefined) {
    const date = `${year}-${String(index + 1).padStart(2, "0")}-${day.padStart(2, "0")}`;
    return { from: date, to: date };
  }
  return Number.isNaN(year) ? latest(index, 1, calendar) : span(monthStart(year, index), 1);
}

const back = (months: number, { today }: Calendar): DateRange => ({
  from: addDays(new Date(addMonths(today, -months)), 1),
  to: today,
});

/** Phrases that name a period, longer ones first. */
const PHRASES: readonly (readonly [phrase: string, read: Read])[] = [
  [
    `(?:between|from) (${END}) (?:and|to|until|till|through) (${END})`,
    ([, from = "", to = ""], calendar) => ({
      from: readEnd(from, calendar).from,
      to: readEnd(to, calendar).to,
    }),
  ],
  [
    `(?:of all time|all[- ]time|ever|on record|in (?:our|the) history|since we (?:started|began)(?: recording)?|overall history)`,
    (_match, { today }) => ({ from: EARLIEST, to: today }),
  ],
  [
    `since (${END})`,
    ([, from = ""], calendar) => ({ from: readEnd(from, calendar).from, to: calendar.today }),
  ],
  [
    `(?:last|past|previous|trailing|latest|recent) (?:12|twelve) months|ttm|(?:the )?past year|(?:last|past) 365 days|annual|yearly (?=emissions|footprint|total)`,
    (_match, _calendar, now) => lastTwelveMonths(now),
  ],
  [
    `(?:last|past|previous|latest) (${NUMBER}) (days|weeks|months|quarters|years)`,
    ([, count = "", unit = ""], calendar) => {
      const n = numberOf(count);
      if (unit === "months") return back(n, calendar);
      if (unit === "years") return back(12 * n, calendar);
      if (unit === "quarters")
        return { from: addMonths(calendar.quarter, -3 * n), to: lastDay(calendar.quarter) };
      const days = unit === "weeks" ? 7 * n : n;
      return { from: addDays(new Date(calendar.today), 1 - days), to: calendar.today };
    },
  ],
  [
    `(?:last|final) quarter of (?:(${YEAR})|(last|this) year)`,
    ([, year, which = ""], calendar) => span(monthStart(Number(year ?? yearOf(which, calendar)), 9), 3),
  ],
  [
    `(?:(${MONTH})|q([1-4])|(first|second|third|fourth) quarter),?(?: of| in)? (last|this) year`,
    ([, name, digit, word, which = ""], calendar) => {
      const start = name ? monthIndex(name) : 3 * quarterIndex(digit, word);
      return span(monthStart(yearOf(which, calendar), start), name ? 1 : 3);
    },
  ],
  [
    `(?:h([12])|(first|second) half)(?: of)? (last|this) year`,
    ([, digit, word, which = ""], calendar) =>
      span(monthStart(yearOf(which, calendar), digit === "2" || word === "second" ? 6 : 0), 6),
  ],
  [
    `last (${MONTH})`,
    ([, name = ""], calendar) => latest(monthIndex(name), 1, { ...calendar, today: calendar.month }, 1),
  ],
  [`(?:the )?year before last`, (_match, { year }) => span(`${year - 2}-01-01`, 12)],
  [
    `(last|past|previous|prior|this|the current|current|present|so far this|since (?:the )?(?:start|beginning) of (?:the|this)) (?:calendar )?(month|quarter|year)(?: so far)?|(year|month) to date|(y|m)td`,
    ([, which = "", unit, toDate, letter], calendar) => {
      const length = unit ?? toDate ?? (letter === "m" ? "month" : "year");
      const from = length === "year" ? `${calendar.year}-01-01` : calendar[length as "month" | "quarter"];
      const months = { month: 1, quarter: 3, year: 12 }[length] ?? 1;
      return span(/^(?:last|past|prev|prior)/.test(which) ? addMonths(from, -months) : from, months);
    },
  ],
  [`(?:on )?${DAY}`, ([text], calendar) => readEnd(text.replace(/^on /, ""), calendar)],
  [
    `(?:q([1-4])|(first|second|third|fourth) quarter)(?: of)?(?: ?(${YEAR}))?`,
    ([, digit, word = "", year], calendar) => {
      const index = 3 * quarterIndex(digit, word);
      return year ? span(monthStart(Number(year), index), 3) : latest(index, 3, calendar);
    },
  ],
  [
    `(?:h([12])|(first|second) half)(?: of)?(?: ?(${YEAR}))?`,
    ([, digit, word, year], calendar) => {
      const index = digit === "2" || word === "second" ? 6 : 0;
      return year ? span(monthStart(Number(year), index), 6) : latest(index, 6, calendar);
    },
  ],
  [
    `(${MONTH})(?: of)?,? (${YEAR})`,
    ([, name = "", year]) => span(monthStart(Number(year), monthIndex(name)), 1),
  ],
  [
    `(?:in|of|for|during|and|vs|versus|with|to|than|since) (may)|(?!may)(${MONTH})`,
    ([, may, name], calendar) => latest(monthIndex(may ?? name ?? ""), 1, calendar),
  ],
  [YEAR, ([year]) => span(`${year}-01-01`, 12)],
  [
    `yesterday`,
    (_match, { today }) => ({ from: addDays(new Date(today), -1), to: addDays(new Date(today), -1) }),
  ],
];

const READERS = PHRASES.map(([phrase, read]) => [pattern(phrase), read] as const);

export const EARLIEST: IsoDate = "1990-01-01";

function check({ from, to }: DateRange, words: string, { today }: Calendar): PeriodOrFault {
  const faulty = (reason: string) => ({ fault: `"${words}" ${reason}.`, phrases: [] });
  if (!isIsoDate(from) || !isIsoDate(to)) return faulty("has a day that does not exist");
  if (from > to) return faulty("ends before it begins");
  if (from > today) return faulty("is in the future");
  if (from < EARLIEST) return faulty(`begins before ${EARLIEST}`);
  return { from, to: to > today ? today : to, isRunning: to >= today, end: to };
}

const FINANCIAL_YEAR = pattern(
  `(?:in |for |during |of )?(?:our |the )?(?:(?<which>last|previous|this|current) )?(?:fy ?-?|(?:financial|fiscal|reporting) years?(?! (?:start|begin|end)) ?)(?<first>(?:20)?\\d\\d)?(?: ?[-/] ?(?<second>(?:20)?\\d\\d))?`,
);

/** Takes a financial year, whose first month only the user knows, and returns the periods that it can be. */
function takeFinancialYear(text: OpenText, { today, year }: Calendar): FoundPeriod | null {
  const match = text.take(FINANCIAL_YEAR);
  if (!match) return null;
  const { which, first, second } = match.groups ?? {};
  const named = first === undefined ? undefined : 2000 + (Number(first) % 100);
  const starts = [4, 7, 10, 1].flatMap((month) => {
    const begun = monthStart(year, month - 1) <= today ? year : year - 1;
    if (named === undefined) return [[which === "last" || which === "previous" ? begun - 1 : begun, month]];
    if (second !== undefined) return month === 1 ? [] : [[named, month]];
    return (month === 4 ? [named - 1, named] : [month === 1 ? named : named - 1]).map((start) => [
      start,
      month,
    ]);
  }) as [number, number][];
  const phrases = starts
    .filter(([start, month]) => monthStart(start, month - 1) <= today)
    .map(([start, month]) => {
      const nameOf = (at: number) => {
        const name = MONTHS[at % 12] ?? "";
        return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${start + Math.floor(at / 12)}`;
      };
      return ` from ${nameOf(month - 1)} to ${nameOf(month + 10)} `;
    });
  const fault = "When does your financial year start?";
  return { at: match.index, text: match[0], period: { fault, phrases } };
}

/** A period with its position and its words in the question. */
export interface FoundPeriod {
  readonly at: number;
  readonly text: string;
  readonly period: PeriodOrFault;
}

/**
 * Takes the periods that a question names, in its order. Periods that include today end today. `isApart`: "from 2024 to
 * 2025" is two periods, as in a comparison.
 */
export function takePeriods(text: OpenText, now: Date, isApart: boolean): readonly FoundPeriod[] {
  const calendar = calendarOf(now);
  const financial = takeFinancialYear(text, calendar);
  const found: FoundPeriod[] = financial ? [financial] : [];
  for (const [matcher, read] of isApart ? READERS.slice(1) : READERS) {
    for (;;) {
      const match = text.take(matcher);
      if (!match) break;
      const period = check(read(match, calendar, now), match[0], calendar);
      found.push({ at: match.index, text: match[0], period });
    }
  }
  return found.sort((one, other) => one.at - other.at);
}

/** Whole calendar months ahead, counted from the last complete month: 1 is the current month. */
export interface Ahead {
  readonly first: number;
  readonly last: number;
}

/** Phrases that name months ahead; `month` is the index of the current one, and `count` the number in the phrase. */
const AHEAD: readonly (readonly [string, (month: number, count: number) => Ahead])[] = [
  [`(?:next|coming|following) (${NUMBER}) months`, (_, count) => ({ first: 2, last: 1 + count })],
  [`(?:next|coming|following) month`, () => ({ first: 2, last: 2 })],
  [`(?:next|coming) quarter`, (month) => ({ first: 4 - (month % 3), last: 6 - (month % 3) })],
  [`(?:next|coming) year`, (month) => ({ first: 13 - month, last: 24 - month })],
  [
    `(?:the )?(?:rest|remainder) of (?:the|this) year|(?:by|until) (?:the )?(?:year[- ]?end|end of (?:the|this) year)`,
    (month) => ({ first: 1, last: 12 - month }),
  ],
];

/** Takes the months ahead that a question names; null if it names no months. */
export function takeAhead(text: OpenText, now: Date): Ahead | null {
  for (const [phrase, read] of AHEAD) {
    const match = text.take(pattern(phrase));
    if (match) return read(now.getUTCMonth(), numberOf(match[1] ?? ""));
  }
  return null;
}

/** Returns the same days of the previous year. */
export const yearBefore = ({ from, to }: DateRange): DateRange => {
  // A full February ends on its last day in both years.
  const dayAfter = addDays(new Date(to), 1);
  return { from: addMonths(from, -12), to: lastDay(addMonths(dayAfter, -12)) };
};
