import { capitalize } from "../texts/capitalize.js";
import {
  addDays,
  addMonths,
  type DateRange,
  type IsoDate,
  isIsoDate,
  isoDate,
  monthNumber,
} from "../window.js";
import type { OpenText } from "./text.js";

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);
const NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split(" ");
const ORDINALS = "first second third fourth".split(" ");

/** `may` counts as a month only next to a year or after a word such as `in`. */
export const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
/** A year that is not part of a longer number or of a financial year such as 2025-26. */
const YEAR = "(?<![\\d.,/-])(?:19|20)\\d\\d(?![\\d/-]|[.,]\\d)";
export const NUMBER = `(?:\\d{1,3}|${NUMBERS.join("|")})`;
export const DAY = `(?:\\d{4}-\\d\\d-\\d\\d|\\d{1,2}(?:st|nd|rd|th)? (?:of )?${MONTH},? ${YEAR}|${MONTH} \\d{1,2}(?:st|nd|rd|th)?,? ${YEAR})`;
/** A month, a quarter or a half of a year. */
export const PART = `(?:${MONTH}|q[1-4]|h[12]|(?:${ORDINALS.join("|")}|last|final) (?:quarter|half))`;
/** Start or end of a range. */
const BOUND = `(?:${DAY}|${PART}(?: of)? ${YEAR}|(?:the )?(?:start|beginning) of ${YEAR}|${MONTH}|${YEAR}|today|now)`;
/** Words before a due date. */
const DUE = "(?:(?:in|within|over|during|by|the|before|until|till|end of) )*";

const pattern = (source: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, "u");

/** Days named in a question. Only a range of due dates can include days after today. */
export interface ReadPeriod extends DateRange {
  /** True if the period ends today or later. */
  readonly isRunning: boolean;
  /** Last day of the whole period, such as 31 December of the current year. */
  readonly end: IsoDate;
}

/** A named period; or the reason why it cannot be used, with phrases to replace it. */
export type PeriodOrFault = ReadPeriod | { readonly fault: string; readonly phrases: readonly string[] };

export const numberOf = (text: string) => NUMBERS.indexOf(text) + 1 || Number(text);
const monthStart = (year: number, index: number): IsoDate => isoDate(new Date(Date.UTC(year, index, 1)));
const lastDay = (nextStart: IsoDate) => addDays(new Date(nextStart), -1);
export const span = (from: IsoDate, months: number): DateRange => ({
  from,
  to: lastDay(addMonths(from, months)),
});

interface Calendar {
  readonly today: IsoDate;
  readonly year: number;
  /** True if a name without a year means the current or next such period; false if it means the latest one. */
  readonly isAhead: boolean;
}

const UNITS = { month: 1, quarter: 3, year: 12 };
type Unit = keyof typeof UNITS;

export const calendarOf = (now: Date, isAhead = false): Calendar => ({
  today: isoDate(now),
  year: now.getUTCFullYear(),
  isAhead,
});

/** Returns the first day of the current month, quarter or year. */
function startOf(unit: Unit, { today, year }: Calendar): IsoDate {
  const index = monthNumber(today) - 12 * year;
  return monthStart(year, index - (index % UNITS[unit]));
}

/** Returns the first month and the number of months of a part of a year, such as `march` or `q3`. */
function monthsOf(part: string): readonly [index: number, months: number] {
  const month = MONTHS.findIndex((name) => name.startsWith(part.slice(0, 3)));
  if (month >= 0) return [month, 1];
  const months = /^q|quarter/.test(part) ? 3 : 6;
  const number = Number(/\d/.exec(part)?.[0] ?? 1 + ORDINALS.findIndex((name) => part.startsWith(name)));
  return [((number || 12 / months) - 1) * months, months];
}

/**
 * Returns the latest part of a year with this name that starts on or before `before`. With `isAhead`, returns the first
 * one that ends today or later.
 */
function nearestPart(part: string, { today, year, isAhead }: Calendar, before = today): DateRange {
  const [index, months] = monthsOf(part);
  const inYear = (of: number) => span(monthStart(of, index), months);
  if (isAhead) return inYear(year).to < today ? inYear(year + 1) : inYear(year);
  return inYear(year).from <= before ? inYear(year) : inYear(year - 1);
}

type Read = (match: readonly string[], calendar: Calendar) => DateRange;
type Phrase = readonly [phrase: string, read: Read];

/**
 * Returns the first and last day of a phrase such as `March 2025`. A range from "the start of 2025" begins on 1 January,
 * and one to it ends on 31 December 2024.
 */
export function readBound(text: string, calendar: Calendar): DateRange {
  const { today } = calendar;
  if (text === "today" || text === "now") return { from: today, to: today };
  if (/^\d{4}-/.test(text)) return { from: text, to: text };
  const year = Number(new RegExp(YEAR).exec(text)?.[0] ?? Number.NaN);
  const [part] = pattern(PART).exec(text) ?? [];
  if (part === undefined) {
    const ofYear = span(monthStart(year, 0), 12);
    return /start|beginning/.test(text) ? { ...ofYear, to: lastDay(ofYear.from) } : ofYear;
  }
  if (Number.isNaN(year)) return nearestPart(part, calendar);
  const [index, months] = monthsOf(part);
  const day = /(?<![\p{L}\d])(\d{1,2})(?!\d)/u.exec(text)?.[1];
  if (day === undefined) return span(monthStart(year, index), months);
  const date = `${monthStart(year, index).slice(0, 8)}${day.padStart(2, "0")}`;
  return { from: date, to: date };
}

const lastMonths = (months: number, { today }: Calendar): DateRange => ({
  from: addDays(new Date(addMonths(today, -months)), 1),
  to: today,
});

export const EARLIEST: IsoDate = "1990-01-01";

const FROM_TO: Phrase = [
  `(?:between|from) (${BOUND}) (?:and|to|until|till|through) (${BOUND})`,
  ([, from = "", to = ""], calendar) => ({
    from: readBound(from, calendar).from,
    to: readBound(to, calendar).to,
  }),
];
/** Phrases that name a period. Earlier ones take precedence. */
const PHRASES: readonly Phrase[] = [
  [
    `of all time|all[- ]time|ever|on record|in (?:our|the) history|since we (?:started|began)(?: recording)?|overall history`,
    (_, { today }) => ({ from: EARLIEST, to: today }),
  ],
  [
    `since (${BOUND})`,
    ([, from = ""], calendar) => ({ from: readBound(from, calendar).from, to: calendar.today }),
  ],
  [
    `(?:trailing|recent) (?:12|twelve) months|ttm|(?:the )?past year|(?:last|past) 365 days|annual|yearly (?=emissions|footprint|total)`,
    (_, calendar) => lastMonths(12, calendar),
  ],
  [
    `(?:last|past|previous|latest) (${NUMBER}) (day|week|month|quarter|year)s`,
    ([, count = "", unit = ""], calendar) => {
      const { today } = calendar;
      const n = numberOf(count);
      const quarter = startOf("quarter", calendar);
      if (unit === "quarter") return { from: addMonths(quarter, -3 * n), to: lastDay(quarter) };
      if (unit in UNITS) return lastMonths(UNITS[unit as Unit] * n, calendar);
      return { from: addDays(new Date(today), 1 - (unit === "week" ? 7 * n : n)), to: today };
    },
  ],
  [`(?:on )?(${DAY})`, ([, day = ""], calendar) => readBound(day, calendar)],
  [
    `(${PART}),?(?: of| in)? (?:(${YEAR})|(last|this) year)`,
    ([, part = "", named, which], { year }) => {
      const [index, months] = monthsOf(part);
      return span(monthStart(Number(named ?? (which === "last" ? year - 1 : year)), index), months);
    },
  ],
  [
    `last (${MONTH})`,
    ([, name = ""], calendar) => nearestPart(name, calendar, lastDay(startOf("month", calendar))),
  ],
  [`(?:the )?year before last`, (_, { year }) => span(monthStart(year - 2, 0), 12)],
  [
    `(last|past|previous|prior|this|the current|current|present|so far this|since (?:the )?(?:start|beginning) of (?:the|this)) (?:calendar )?(month|quarter|year)(?: so far)?|(year|month) to date|([ym])td`,
    ([, which = "", unit, toDate, letter], calendar) => {
      const length = (unit ?? toDate ?? (letter === "m" ? "month" : "year")) as Unit;
      const isPast = /^(?:last|past|prev|prior)/.test(which);
      return span(addMonths(startOf(length, calendar), isPast ? -UNITS[length] : 0), UNITS[length]);
    },
  ],
  [
    `(?:in|of|for|during|and|vs|versus|with|to|than|since|by|before|until|till) (may)|(?!may|last|final)(${PART})`,
    ([, may, part = "may"], calendar) => nearestPart(may ?? part, calendar),
  ],
  [`(${YEAR})`, ([, year]) => span(monthStart(Number(year), 0), 12)],
  [`yesterday`, (_, { today }) => ({ from: lastDay(today), to: lastDay(today) })],
];

/** Phrases that name months ahead. */
const AHEAD: readonly Phrase[] = [
  [
    `(?:next|coming|following) (few|${NUMBER}) months`,
    ([, count = ""], { today }) => ({ from: today, to: addMonths(today, numberOf(count) || 3) }),
  ],
  [
    `(?:next|coming|following) (month|quarter|year)`,
    ([, name = ""], calendar) => {
      const unit = name as Unit;
      return span(addMonths(startOf(unit, calendar), UNITS[unit]), UNITS[unit]);
    },
  ],
  [
    `(?:the )?(?:rest|remainder) of (?:the|this) year|(?:(?:by|until) )?(?:the )?(?:year[- ]?end|end of (?:the|this) year)`,
    (_, { today, year }) => ({ from: today, to: `${year}-12-31` }),
  ],
];
/** Phrases that name a range of due dates. */
const SOON: readonly Phrase[] = [
  [
    `(?:next|coming) (few|${NUMBER}) (day|week)s`,
    ([, count = "", unit], { today }) => {
      const n = numberOf(count) || 3;
      return { from: today, to: addDays(new Date(today), unit === "week" ? 7 * n : n) };
    },
  ],
  [
    `(soon|shortly)|(today)|this week`,
    ([, soon, isToday], { today }) => ({
      from: today,
      to: addDays(new Date(today), soon ? 90 : isToday ? 0 : 6),
    }),
  ],
];

const readers = (phrases: readonly Phrase[], before = "") =>
  phrases.map(([phrase, read]) => [pattern(`${before}(?:${phrase})`), read] as const);
const PAST_READERS = readers([FROM_TO, ...PHRASES]);
const AHEAD_READERS = readers(AHEAD);
const DUE_READERS = readers([...AHEAD, ...SOON, FROM_TO, ...PHRASES], DUE);

function check({ from, to }: DateRange, words: string, { today, isAhead }: Calendar): PeriodOrFault {
  const faulty = (reason: string) => ({ fault: `"${words}" ${reason}.`, phrases: [] });
  if (!isIsoDate(from) || !isIsoDate(to)) return faulty("contains a date that doesn't exist");
  if (from > to) return faulty("ends before it starts");
  if (from < EARLIEST) return faulty(`starts before ${EARLIEST}, the earliest date I can look at`);
  const isRunning = to >= today;
  if (isAhead) return { from, to, isRunning, end: to };
  if (from > today) return faulty("is in the future");
  return { from, to: isRunning ? today : to, isRunning, end: to };
}

const FINANCIAL_YEAR = pattern(
  `(?:in |for |during |of )?(?:our |the )?(?:(?<which>last|previous|this|current) )?(?:fy ?-?|(?:financial|fiscal|reporting) years?(?! (?:start|begin|end)) ?)(?<first>(?:20)?\\d\\d)?(?: ?[-/] ?(?<second>(?:20)?\\d\\d))?`,
);

/** Takes a financial year and returns the periods it could be. Only the user knows its first month. */
function takeFinancialYear(text: OpenText, { today, year }: Calendar): FoundPeriod[] {
  const match = text.take(FINANCIAL_YEAR);
  if (!match) return [];
  const { which, first, second } = match.groups ?? {};
  const nameOf = (start: IsoDate) => {
    const name = MONTHS[Number(start.slice(5, 7)) - 1] ?? "";
    return `${capitalize(name)} ${start.slice(0, 4)}`;
  };
  // A single year in the name is the one in which it ends.
  const phrases = (second ? [3, 6, 9] : [3, 6, 9, 0])
    .map((index) => {
      const begun = monthStart(year, index) <= today ? year : year - 1;
      const latest = /last|prev/.test(which ?? "") ? begun - 1 : begun;
      const named = 2000 + (Number(first) % 100) - (second || index === 0 ? 0 : 1);
      return monthStart(first ? named : latest, index);
    })
    .filter((start) => start <= today)
    .map((start) => ` from ${nameOf(start)} to ${nameOf(addMonths(start, 11))} `);
  const period = { fault: "When does your financial year start?", phrases };
  return [{ at: match.index, text: match[0], period }];
}

/** A period with its words and their position in the question. */
export interface FoundPeriod {
  readonly at: number;
  readonly text: string;
  readonly period: PeriodOrFault;
}

function takeAll(text: OpenText, by: typeof PAST_READERS, calendar: Calendar): FoundPeriod[] {
  const found: FoundPeriod[] = [];
  for (const [matcher, read] of by) {
    for (let match = text.take(matcher); match; match = text.take(matcher)) {
      const [words] = match;
      const days = calendar.isAhead
        ? toDueRange(words, read(match, calendar), calendar)
        : read(match, calendar);
      found.push({ at: match.index, text: words, period: check(days, words, calendar) });
    }
  }
  return found.sort((one, other) => one.at - other.at);
}

/** Returns the range of due dates. "By March" ends on 31 March, "before March" on the last day of February. */
function toDueRange(words: string, days: DateRange, { today }: Calendar): DateRange {
  if (/\bbefore\b(?!.*\bend of\b)/.test(words)) return { from: today, to: lastDay(days.from) };
  return /\b(?:by|before|until|till)\b/.test(words) ? { from: today, to: days.to } : days;
}

/**
 * Takes the periods that a question names: a financial year, then the others in order. Periods that include today end
 * today. With `isApart`, as in a comparison, "from 2024 to 2025" is two periods.
 */
export function takePeriods(text: OpenText, now: Date, isApart = false): readonly FoundPeriod[] {
  const calendar = calendarOf(now);
  const financial = takeFinancialYear(text, calendar);
  return [...financial, ...takeAll(text, isApart ? PAST_READERS.slice(1) : PAST_READERS, calendar)];
}

/** Takes the ranges of due dates that a question names. */
export const takeDue = (text: OpenText, now: Date): readonly FoundPeriod[] =>
  takeAll(text, DUE_READERS, calendarOf(now, true));

/** Calendar months ahead, counted from the last complete one: 1 is the current month. */
export interface MonthsAhead {
  readonly first: number;
  readonly last: number;
}

/** Takes the months ahead that a question names; null without any. "Next 3 months" starts with the next month. */
export function takeAhead(text: OpenText, now: Date): MonthsAhead | null {
  const calendar = calendarOf(now);
  for (const [matcher, read] of AHEAD_READERS) {
    const match = text.take(matcher);
    if (!match) continue;
    const { from, to } = read(match, calendar);
    const numberFrom = (day: IsoDate) => monthNumber(day) - monthNumber(calendar.today) + 1;
    return {
      first: /^(?:next|com|foll)/.test(match[0]) ? Math.max(numberFrom(from), 2) : numberFrom(from),
      last: numberFrom(to),
    };
  }
  return null;
}
