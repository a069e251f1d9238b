/** What the numbers of an answer are checked against. */
export interface Evidence {
  /** Numbers that were read for the answer. */
  readonly numbers: readonly number[];
  /** Texts that were read for it, such as names and days. */
  readonly texts: readonly string[];
  /** What was asked. */
  readonly question: string;
}

/** Amounts in words, which are not compared with anything. */
const AMOUNT_WORDS =
  /\b(?:hundreds?|thousands?|millions?|billions?|dozens?|half|halved?|doubled?|tripled?|twice|thrice|quadrupled?)\b/i;
const NUMBER_WORDS =
  "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(
    " ",
  );
const MONTHS =
  "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?";
const NUMBER = /\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?/g;

/** A number as a text shows it, and the number of decimals that it shows. */
interface Shown {
  readonly value: number;
  readonly decimals: number;
}

const readShown = (text: string): Shown => ({
  value: Number(text.replaceAll(",", "")),
  decimals: text.split(".")[1]?.length ?? 0,
});

/** Whether a number is shown, rounded to the digits that are shown. Whether it rose or fell is said in words. */
const isRounded = (value: number, { value: shown, decimals }: Shown): boolean =>
  Math.abs(Math.abs(value) - shown) <= 0.5 * 10 ** -decimals * (1 + 1e-9) + Math.abs(value) * 1e-12;

/** The days and months that texts name, as `YYYY-MM` and `YYYY-MM-DD`. */
const datesOf = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.match(/(?<!\d)\d{4}-\d{2}(?:-\d{2})?(?!\d)/g) ?? []);

/** Takes dates that were read out of a text; others stay, so that their numbers are checked. */
function withoutDates(text: string, dates: readonly string[]): string {
  const isKnown = (year: string, month: string, day?: string) => {
    const index = "janfebmaraprmayjunjulaugsepoctnovdec".indexOf(month.slice(0, 3).toLowerCase()) / 3 + 1;
    const date = `${year}-${String(index).padStart(2, "0")}${day === undefined ? "" : `-${day.padStart(2, "0")}`}`;
    return dates.some((known) => known.startsWith(date));
  };
  const keep = (known: boolean, whole: string) => (known ? " " : whole);
  return text
    .replace(/(?<!\d)\d{4}-\d{2}(?:-\d{2})?(?!\d)/g, (whole) =>
      keep(
        dates.some((date) => date.startsWith(whole)),
        whole,
      ),
    )
    .replace(
      new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)? (${MONTHS}),? (\\d{4})\\b`, "gi"),
      (whole, day, month, year) => keep(isKnown(year, month, day), whole),
    )
    .replace(
      new RegExp(`\\b(${MONTHS}) (\\d{1,2})(?:st|nd|rd|th)?, (\\d{4})\\b`, "gi"),
      (whole, month, day, year) => keep(isKnown(year, month, day), whole),
    )
    .replace(new RegExp(`\\b(${MONTHS}) (\\d{4})\\b`, "gi"), (whole, month, year) =>
      keep(isKnown(year, month), whole),
    )
    .replace(/\bQ([1-4]) (\d{4})\b/g, (whole, quarter, year) =>
      keep(
        dates.some((date) => date.startsWith(`${year}-${String(3 * quarter - 2).padStart(2, "0")}`)),
        whole,
      ),
    )
    .replace(/(?<![\d.,])(?:19|20)\d{2}(?![\d,]|\.\d)(?! ?(?:t\b|t?CO|tonnes|tons|%|credits))/g, (year) =>
      keep(
        dates.some((date) => date.startsWith(year)),
        year,
      ),
    );
}

/** Takes out names that were read, the longest first; a number is no name. */
const withoutNames = (text: string, names: readonly string[]): string =>
  names
    .filter((name) => /\p{L}/u.test(name) && /\d/.test(name))
    .toSorted((one, other) => other.length - one.length)
    .reduce((rest, name) => rest.replaceAll(name, " "), text);

/**
 * Whether every number of a text was read for it or stands in the question: the same value, rounded to the digits that are
 * shown. Names that were read, days that were read, and terms such as "scope 2" are no numbers.
 */
export function isGrounded(text: string, { numbers, texts, question }: Evidence): boolean {
  if (AMOUNT_WORDS.test(text) || /(?![0-9])\p{N}/u.test(text.replaceAll("₂", ""))) return false;
  const dates = datesOf(texts);
  const known = [
    ...numbers,
    ...texts.filter((text) => /^-?\d+(?:\.\d+)?$/.test(text)).map(Number),
    ...(question.match(NUMBER) ?? []).map((number) => readShown(number).value),
  ];
  const rest = withoutDates(withoutNames(text, texts), dates)
    .replace(/\bt?CO(?:2|₂)e?\b/gi, " ")
    .replace(/\bscopes? [123](?:(?:, | and | & |, and )[123])*\b/gi, " ")
    .replace(/\b95 ?%(?= (?:prediction|probability|confidence|interval))/gi, " ")
    .replace(/\b(?:last|past|previous|the) (?:12|twelve) months\b/gi, " ");
  const inWords = (rest.toLowerCase().match(/\p{L}+/gu) ?? []).flatMap((word) =>
    NUMBER_WORDS.includes(word) ? [{ value: NUMBER_WORDS.indexOf(word) + 2, decimals: 0 }] : [],
  );
  // A number that is followed by a letter, such as 5k, is not the number that it begins with.
  if (/\d\p{L}/u.test(rest.replace(/\d+(?:st|nd|rd|th|t)\b/g, " "))) return false;
  const shown = [...(rest.match(NUMBER) ?? []).map(readShown), ...inWords];
  return shown.every((one) => known.some((value) => isRounded(value, one)));
}
