import { divideFractions, type Fraction, readFraction } from "../fractions.js";
import { withoutAccents } from "../texts/fold.js";
import {
  AMBIGUOUS,
  CALORIFIC_VALUES,
  CALORIFIC_WORDS,
  type CalorificValue,
  DIMENSIONS,
} from "./unit-spellings.js";

/** A unit of an activity, such as `kWh (gross CV)` or `tonne.km`. */
export interface Unit {
  readonly name: string;
  /** Units of the same dimension convert into each other, unless their calorific values differ. */
  readonly dimension: string;
  readonly qualifier: CalorificValue | null;
  /** Size in the base unit of the dimension, such as MJ, litres, kilograms or kilometres. */
  readonly size: string;
}

const UNITS: ReadonlyMap<string, Omit<Unit, "qualifier">> = new Map(
  Object.entries(DIMENSIONS).flatMap(([dimension, definitions]) =>
    definitions.flatMap(([name, size, ...spellings]) =>
      [name, ...spellings].map((spelling) => [foldUnit(spelling), { name, dimension, size }] as const),
    ),
  ),
);

const CALORIFIC_VALUE_OF: ReadonlyMap<string, CalorificValue> = new Map(
  CALORIFIC_VALUES.flatMap((value) => CALORIFIC_WORDS[value].map((word) => [word, value] as const)),
);

function plainUnit(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ").toLowerCase();
}

/** Returns a unit's spelling without accents and hyphens. */
function foldUnit(text: string): string {
  return withoutAccents(plainUnit(text.normalize("NFKC"))).replaceAll("-", " ");
}

const QUALIFIED = /^(\w+(?: \w+)?),? ?\(?\b([a-z]+)(?: cv)?\)?$/;

/**
 * Reads a unit in any case and usual spelling. Any other word becomes a unit that converts only into itself, even an
 * ambiguous one (see `listUnitMeanings`).
 */
export function readUnit(text: string): Unit {
  return findUnit(text) ?? { name: plainUnit(text), dimension: plainUnit(text), qualifier: null, size: "1" };
}

/** Megagrams, and tonnes in capitals. In small letters, `mt` could mean megatonnes. */
const CAPITALS = /^\s*M[TGg]\s*$/;

/** Returns the unit with this name or spelling; null for any other word. */
export function findUnit(text: string): Unit | null {
  const spelling = CAPITALS.test(text) ? "tonne" : foldUnit(text);
  const bare = UNITS.get(spelling);
  if (bare) return { ...bare, qualifier: null };
  const [, energy = "", word = ""] = QUALIFIED.exec(spelling) ?? [];
  const [known, qualifier] = [UNITS.get(energy), CALORIFIC_VALUE_OF.get(word)];
  if (known?.dimension !== "energy" || qualifier === undefined) return null;
  return { ...known, name: `${known.name} (${qualifier} CV)`, qualifier };
}

/** Lists the units that an ambiguous word may mean, such as three for `ton`; empty for any other word. */
export const listUnitMeanings = (text: string): readonly string[] =>
  AMBIGUOUS_UNITS.get(foldUnit(text)) ?? [];

const AMBIGUOUS_UNITS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(AMBIGUOUS));

/** Returns true if an amount in one unit can be converted to the other. */
export const isConvertible = (one: Unit, other: Unit): boolean =>
  one.dimension === other.dimension && one.qualifier === other.qualifier;

/** Returns the number of `to` in one `from`. The units must be convertible. */
export const conversionOf = (from: Unit, to: Unit): Fraction =>
  divideFractions(readFraction(from.size), readFraction(to.size));
