import { matchAt, readUnit, type Unit } from "./written-units.js";

/** A number in a text, with its unit. */
export interface Amount {
  /** The absolute value. */
  readonly value: number;
  /** Half a unit of the last digit shown. */
  readonly tolerance: number;
  /** The written sign; 0 without a sign. */
  readonly sign: -1 | 0 | 1;
  /** Null without a known unit. */
  readonly unit: Unit | null;
}

const SCALES: Readonly<Record<string, number>> = {
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  k: 1e3,
  m: 1e6,
  bn: 1e9,
};
/** Amounts in words, which are refused: the prompt asks the model for digits. */
const IN_WORDS =
  /(?<!\p{L})(?:zero|one|two|three|(?:four|six|seven|eight|nine)(?:teen)?|five|ten|eleven|twelve|(?:thir|fif)teen|eighteen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|single|hundreds?|thousands|millions|billions|dozens?|half|halves|halv(?:e|ed|ing)|thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|hundredths?|thousandths?|doubl(?:e|ed|es|ing)|tripl(?:e|ed|es|ing)|quadrupl(?:e|ed|es|ing)|twice|thrice|none|nothing|nil|couple|pair|\p{L}+fold)(?!\p{L})/iu;
const NUMBER = /\d[\d.,]*(?<=\d)|(?<!\p{L})no(?!\p{L})/giu;
const DIGITS = /^(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?$/;
const SCALE = /(?:[km]|bn)(?![\p{L}\p{N}])| (?:thousand|million|billion)(?!\p{L})/iuy;
/** Emissions after "no", with up to three words in between. */
const NO_EMISSIONS =
  / (?:(?!(?:of|on|for|in|about|to|with|and|or|from) )[^ ]+ ){0,3}(?:emissions?|COxe?|carbon(?: dioxide)?|greenhouse gas(?:es)?)(?![\p{L}\p{N}])/iuy;
const EMISSIONS: Unit = { name: "t", scale: 1, per: "" };
/** Units that follow a number, or possibly an unknown number word, such as "umpteen tonnes". */
const QUANTITY =
  /(?<!\p{L})(?:(?:kilo|mega|giga)?(?:tonnes?|tons?)|(?:kilo)?gram(?:me)?s?|percent|per cent|(?<= )(?:[kmg]?t|kgs?)|records|entries|facilities|deadlines|credits|factors|months|days)(?!\p{L})|%/giu;
/** The last word before a unit, and the one before that, which matters if the last is "of". */
const BEFORE_UNIT = /(?:(?<head>[\p{L}'’-]+) )?(?<word>[\p{L}'’-]+) $/u;
const wordsOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));
/** Words that may precede a unit but are not numbers. ADJECTIVE covers more, such as "retired" or "largest". */
const ORDINARY =
  wordsOf(`the in per your our their its total metric more fewer less many how all any both each every some several few most
  these those such other others which what and or with without for by to from on as at is are was were than last next past
  previous prior recent first complete whole full new old different similar same only also not no emission emissions carbon
  compliance open overdue upcoming calendar business working latest have has hold holds add show shows retire sell use list
  include includes cover covers see contain contains between my own active`);
const ADJECTIVE = /^\p{L}{3,}(?:ed|ing|est|able|ible|al|ous)$/u;
/** Words that may precede "of" and a unit but are not numbers. */
const HEADS = wordsOf(
  "number amount total sum count list lists share part parts all any each most some terms types kinds history set price prices records",
);
/** Text between two amounts that share a unit. */
const JOINT = /^ ?(?:to|and|or|-|–|—) ?$/;
/** Maximum number of amounts in a text. */
const MAX_AMOUNTS = 100;

/** Returns true if the words before a unit cannot be a number. */
function isOrdinary(before: string): boolean {
  const { head = "", word } = BEFORE_UNIT.exec(before.toLowerCase())?.groups ?? {};
  if (word === "of") return HEADS.has(head);
  return word === undefined ? /^$|[.:!?] $/.test(before) : ORDINARY.has(word) || ADJECTIVE.test(word);
}

/**
 * Reads all numbers in a text from `maskCo2`, with their units. Returns null if one is ambiguous or written in words,
 * or if there are more than 100.
 */
export function readAmounts(text: string): readonly Amount[] | null {
  if (IN_WORDS.test(text) || /(?![0-9])\p{N}/u.test(text)) return null;
  const found: (Amount & { readonly at: number; readonly end: number })[] = [];
  for (const match of text.matchAll(NUMBER)) {
    const [shown] = match;
    const at = match.index;
    // Already read as part of the previous amount.
    if (at < (found.at(-1)?.end ?? 0)) continue;
    let end = at + shown.length;
    const before = text.slice(Math.max(0, at - 5), at);
    const digits = DIGITS.exec(shown);
    let [value, tolerance] = [0, 0];
    if (digits) {
      const scale = matchAt(SCALE, text, end)?.[0] ?? "";
      end += scale.length;
      const factor = SCALES[scale.trim().toLowerCase()] ?? 1;
      value = Number(shown.replaceAll(",", "")) * factor;
      tolerance = 0.5 * 10 ** -(digits[1]?.length ?? 0) * factor;
    } else if (/\d/.test(shown)) return null;
    else if (!readUnit(text, end)) {
      // "No" counts as 0 only before a unit or emissions.
      const emissions = matchAt(NO_EMISSIONS, text, end)?.[0] ?? "";
      if (emissions)
        found.push({ at, end: end + emissions.length, value, tolerance, sign: 0, unit: EMISSIONS });
      continue;
    }
    if (/[\p{L}\p{N}.,/_]$/u.test(before)) return null;
    const read = readUnit(text, end);
    const prefix = /(?:^|[^\p{L}\p{N}])([A-Z]{3} ?|[€$£₹] ?)$/u.exec(before)?.[1];
    const money = prefix === undefined || read ? null : readUnit(prefix, 0);
    end = read?.end ?? end;
    if (/^[\p{L}\p{N}]/u.test(text.slice(end))) return null;
    const written = /(?:^|[\s(])([-−–+])$/u.exec(before)?.[1];
    const sign = written === undefined ? 0 : written === "+" ? 1 : -1;
    found.push({ at, end, value, tolerance, sign, unit: read?.unit ?? money?.unit ?? null });
    if (found.length > MAX_AMOUNTS) return null;
  }
  const isUnread = ({ index }: RegExpExecArray) =>
    !found.some(({ at, end }) => at <= index && index < end) && !isOrdinary(text.slice(0, index));
  if ([...text.matchAll(QUANTITY)].some(isUnread)) return null;
  // In "84 to 103 t", the first number takes the unit of the second.
  for (let index = found.length - 2; index >= 0; index -= 1) {
    const [one, next] = [found[index], found[index + 1]];
    if (one && next && !one.unit && JOINT.test(text.slice(one.end, next.at)))
      found[index] = { ...one, unit: next.unit };
  }
  return found;
}
