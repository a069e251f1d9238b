import { type KnownDays, withoutKnownDays } from "./known-days.js";
import { type Amount, readAmounts } from "./written-amounts.js";
import { isCurrency, maskCo2, readUnit, type Unit } from "./written-units.js";

/** A number that a tool returned, with its unit. */
export interface KnownFigure {
  readonly value: number;
  /** Such as `tCO2e`, `%` or `EUR/tCO2e`. */
  readonly unit: string;
}

/** Evidence to check an answer's numbers against. */
export interface Evidence<Figure extends KnownFigure> {
  readonly figures: readonly Figure[];
  readonly days: KnownDays;
  /** Strings that tools returned, such as names of facilities. */
  readonly names: readonly string[];
  /** The question. Its numbers are not evidence. */
  readonly question: string;
}

/** Maximum number of names with a digit to look for in an answer. */
const MAX_NAMES = 300;
/** Maximum number of figures to compare an answer with. */
const MAX_FIGURES = 3_000;

/** Returns true for a name with three letters in a row and no amount: "Plant 7", but not "Total 5 t" or "7". */
function isName(name: string): boolean {
  if (!/^\p{L}/u.test(name) || !/\p{L}{3}/u.test(name)) return false;
  return readAmounts(maskCo2(name))?.every(({ unit }) => unit === null) ?? false;
}

/** Removes known names with a digit, longest first, unless they are part of a word, or a number or unit follows. */
function withoutNames(text: string, names: readonly string[]): string {
  let rest = text;
  const found = [...new Set(names)].filter((name) => /\d/.test(name)).slice(0, MAX_NAMES);
  for (const name of found.sort((one, other) => other.length - one.length)) {
    const parts = rest.split(name);
    if (parts.length === 1 || !isName(name)) continue;
    rest = parts.reduce((before, after) => {
      const isApart = !/[\p{L}\p{N}]$/u.test(before) && !/^(?:[.,]?[\p{L}\p{N}]| ?\d)/u.test(after);
      return before + (isApart && !readUnit(maskCo2(after), 0) ? "\u0001" : name) + after;
    });
  }
  return rest;
}

/** Removes "scope 2" and "scopes 1 and 3", unless a unit follows the last number of a list. */
const withoutScopes = (text: string): string =>
  text.replace(
    /(?<!\p{L})scopes? [123](?:(?:, and|,| and| &) (?:scope )?[123])*(?![\p{L}\p{N}]|[.,]\d)/giu,
    (whole, at: number) => (/\d.*\d/.test(whole) && readUnit(text, at + whole.length) ? whole : "\u0001"),
  );

/** Returns the figures with a known unit. */
function withUnits<Figure extends KnownFigure>(figures: readonly Figure[]) {
  const readWhole = (text: string) => {
    const read = readUnit(text, 0);
    return read?.end === text.length ? read.unit : null;
  };
  const units = new Map<string, Unit | null>();
  for (const { unit } of figures) if (!units.has(unit)) units.set(unit, readWhole(maskCo2(unit)));
  return figures.flatMap((figure) => {
    const unit = units.get(figure.unit);
    return unit ? [{ figure, unit }] : [];
  });
}

/** Returns true if an amount is the known value, rounded to the amount's digits. Zero matches only zero. */
function isRoundingOf({ value, tolerance, sign }: Amount, known: number): boolean {
  if (value === 0 || known === 0) return value === 0 && known === 0;
  if (sign !== 0 && Math.sign(known) !== sign) return false;
  return Math.abs(Math.abs(known) - value) <= tolerance * (1 + 1e-9) + Math.abs(known) * 1e-12;
}

/**
 * Returns the figures that a text quotes, or null if the text is not grounded. It is grounded if every number is a
 * figure of the same unit, rounded to the digits shown. Amounts in words are never grounded. Dates that the figures
 * cover, names and "scope 2" are not numbers. A text without figures is not grounded if the question has numbers,
 * because a "yes" would confirm them. Returns null for more than 3,000 figures.
 */
export function groundText<Figure extends KnownFigure>(
  given: string,
  { figures, days, names, question }: Evidence<Figure>,
): readonly Figure[] | null {
  if (figures.length > MAX_FIGURES) return null;
  const bare = (text: string) => withoutScopes(maskCo2(withoutKnownDays(text, days)));
  // Removes invisible characters, which could hide within a number.
  const text = given.replace(/\p{Cf}/gu, "").replace(/\s/gu, " ");
  const amounts = readAmounts(bare(withoutNames(text, names)));
  if (!amounts) return null;
  const known = withUnits(figures);
  const shown = new Set<Figure>();
  for (const amount of amounts) {
    const { name, per, scale } = amount.unit ?? {};
    if (scale === undefined) return null;
    // "75 EUR" may mean "75 EUR/t".
    const found = known.filter(
      ({ figure, unit }) =>
        unit.name === name &&
        (unit.per === per || (per === "" && isCurrency(unit.name))) &&
        isRoundingOf(amount, (figure.value * unit.scale) / scale),
    );
    if (found.length === 0) return null;
    for (const { figure } of found) shown.add(figure);
  }
  const asked = readAmounts(bare(question.replace(/\s/gu, " ")));
  if (shown.size === 0 && (asked === null || asked.length > 0)) return null;
  return figures.filter((figure) => shown.has(figure));
}
