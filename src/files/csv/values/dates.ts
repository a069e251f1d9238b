import { withoutAccents } from "../../../domain/texts/fold.js";
import { endOfMonth, type IsoDate, isSupportedDate } from "../../../domain/window.js";
import type { Suggestion } from "../problems.js";

/** Rules for the dates in a file. */
export interface DateRules {
  /** Undefined for ISO 8601. */
  readonly dateFormat: DateFormat | undefined;
  /** A month or a year that ends after this day is refused. */
  readonly today: IsoDate;
}

export interface DateFormat {
  /** Such as `DD.MM.YYYY`. */
  readonly name: string;
  readonly pattern: RegExp;
}

const TOKENS: ReadonlyMap<string, string> = new Map([
  ["YYYY", "(?<year>\\d{4})"],
  ["YY", "(?<year>\\d{2})"],
  ["MMM", "(?<month>\\p{L}{3,10}\\.?)"],
  ["MM", "(?<month>\\d{2})"],
  ["M", "(?<month>\\d{1,2})"],
  ["DD", "(?<day>\\d{2})"],
  ["D", "(?<day>\\d{1,2})"],
]);

const MAX_FORMAT_LENGTH = 40;

/** Reads a format of years (YYYY, YY), months (M, MM, MMM for names) and days (D, DD); undefined for any other. */
export function readDateFormat(text: string): DateFormat | undefined {
  if (text.length > MAX_FORMAT_LENGTH) return undefined;
  const name = text.trim().toUpperCase();
  const parts = name.match(/Y+|M+|D+|[^YMD]/g) ?? [];
  const letters = parts.filter((part) => /[YMD]/.test(part)).map((part) => part[0]);
  const isKnown = parts.every((part) => TOKENS.has(part) || /^[ ./,-]$/.test(part));
  const isWhole = letters.includes("Y") && (letters.includes("M") || !letters.includes("D"));
  if (!isKnown || !isWhole || new Set(letters).size < letters.length) return undefined;
  const source = parts.map((part) => TOKENS.get(part) ?? part.replace(".", "\\.")).join("");
  return { name, pattern: new RegExp(`^${source}$`, "iu") };
}

const ISO = /^(?<year>\d{4})(?:-(?<month>\d{2})(?:-(?<day>\d{2}))?)?$/;
/** Midnight, which databases and spreadsheets append to days. */
const MIDNIGHT = /[T ]0?0:00(:00(\.0+)?)?(Z|\+00:?00)?$/;

const foldMonth = (name: string) => withoutAccents(name).toLowerCase().replace(/\.$/, "");

const LANGUAGES = ["en-US", "en-GB", "de", "fr", "es"];

/** Numbers of months by full and short name, in English, German, French and Spanish. */
const MONTHS: ReadonlyMap<string, number> = new Map([
  ...LANGUAGES.flatMap((language) =>
    (["long", "short"] as const).flatMap((length) => {
      const { format } = new Intl.DateTimeFormat(language, { month: length, timeZone: "UTC" });
      return Array.from({ length: 12 }, (_, at) => [foldMonth(format(Date.UTC(2000, at))), at + 1] as const);
    }),
  ),
  ["mrz", 3],
]);

/** Reads a day; a month or year means its last day. Undefined if the string is not a supported date. */
function readDay(text: string, pattern: RegExp): { day: IsoDate; isPeriod: boolean } | undefined {
  const found = pattern.exec(text.replace(MIDNIGHT, ""))?.groups as
    | Partial<Record<"year" | "month" | "day", string>>
    | undefined;
  const month = readMonth(found?.month ?? "12");
  if (found?.year === undefined || month === undefined) return undefined;
  const year = found.year.padStart(4, "20");
  const lastDay = () => endOfMonth(new Date(Date.UTC(Number(year), month - 1)), 0).slice(8);
  const twoDigits = (number: number | string) => String(number).padStart(2, "0");
  const day = `${year}-${twoDigits(month)}-${twoDigits(found.day ?? lastDay())}`;
  return isSupportedDate(day) ? { day, isPeriod: found.day === undefined } : undefined;
}

/** Reads the number or name of a month. */
const readMonth = (text: string): number | undefined =>
  /^\d/.test(text) ? Number(text) : MONTHS.get(foldMonth(text));

/** Description of the expected date, with formats that may fit the given one. */
export interface DateProblem {
  readonly expected: string;
  readonly suggestions: readonly Suggestion[];
}

/** Reads the day of a row. A month or year must have ended, and means its last day. */
export function readRecordedOn(
  text: string,
  { dateFormat, today }: DateRules,
): { readonly day: IsoDate } | DateProblem {
  const read = readDay(text, dateFormat?.pattern ?? ISO);
  const problem = (expected: string, suggestions: readonly Suggestion[] = []) => ({ expected, suggestions });
  if (read !== undefined) {
    if (!read.isPeriod || read.day <= today) return { day: read.day };
    return problem(dateFormat === undefined ? EXPECTED_DATE : "a month or year that has ended");
  }
  if (dateFormat !== undefined) return problem(`a date written as ${dateFormat.name}`);
  return problem(
    EXPECTED_DATE,
    suggestFormats(text).map((format) => ({ dateFormat: format })),
  );
}

const EXPECTED_DATE = "a date YYYY-MM-DD from 1000 to 2999, or a month (YYYY-MM) or year that has ended";

/** Shapes of dates, with the formats that may fit. `?` is the separator, and Y is YY or YYYY. */
const SHAPES: readonly (readonly [RegExp, ...string[]])[] = [
  [/^\d{1,2}(\.)\d{1,2}\.(\d{4}|\d{2})\b/, "D?M?Y"],
  [/^\d{1,2}([/-])\d{1,2}[/-](\d{4}|\d{2})\b/, "D?M?Y", "M?D?Y"],
  [/^\d{4}([./])\d{1,2}[./]\d{1,2}\b/, "YYYY?M?D"],
  [/^\d{1,2}([ -]?)\p{L}{3,10}[ -]?(\d{4}|\d{2})\b/u, "D?MMM?Y"],
  [/^\d{1,2}\.( )\p{L}{3,10}\.? (\d{4}|\d{2})\b/u, "D.?MMM?Y"],
  [/^\p{L}{3,10}\.?([ /-])(\d{4}|\d{2})$/u, "MMM?Y"],
  [/^\d{1,2}([./-])(\d{4})$/, "M?Y"],
];

/** Suggests formats for a string that looks like a date. D and M accept one or two digits. */
export function suggestFormats(text: string): readonly string[] {
  for (const [shape, ...formats] of SHAPES) {
    const [found, separator = "", year = ""] = shape.exec(text) ?? [];
    if (found === undefined) continue;
    return formats.map((format) =>
      format.replaceAll("?", separator).replace(/(?<!Y)Y$/, year.length === 2 ? "YY" : "YYYY"),
    );
  }
  return [];
}
