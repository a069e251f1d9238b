/** Units of amounts, each in tonnes. */
const IN_TONNES = {
  t: "1",
  kg: "0.001",
  g: "0.000001",
  lb: "0.00045359237",
  "short-ton": "0.90718474",
  "long-ton": "1.0160469088",
  kt: "1000",
  Mt: "1000000",
  Gt: "1000000000",
} as const;
export type Unit = keyof typeof IN_TONNES;
const UNITS = Object.keys(IN_TONNES) as readonly Unit[];

/** Returns the tonnes in one unit, as a plain decimal. */
export const tonnesOf = (unit: Unit): string => IN_TONNES[unit];

export interface NamedUnits {
  /** Units of mass; more than one if the string is ambiguous. */
  readonly units: ReadonlySet<Unit>;
  /** A unit of another quantity, such as `MWh`. */
  readonly other: string | undefined;
}

/** Case-sensitive spellings. People write `mt` for both tonnes and megatonnes. */
const EXACT: ReadonlyMap<string, readonly Unit[]> = new Map([
  ["Mt", ["Mt"]],
  ["MT", ["t"]],
  ["mt", ["t", "Mt"]],
  ["Mg", ["t"]],
  ["MG", ["t"]],
]);

const SPELLINGS: readonly (readonly [Unit, RegExp])[] = [
  ["t", /^(t|te|tons?|tonnes?|tonnen|toneladas?)$/],
  ["kg", /^(kgs?|kilos?|kilogram(me|m|o)?s?)$/],
  ["g", /^(g|gram(me|m|o)?s?)$/],
  ["lb", /^(lbs?|pounds?)$/],
  ["kt", /^(kt|gg|kilo-?ton(ne)?s?|ktons?)$/],
  ["Mt", /^(mmt|mmtons?|mega-?ton(ne)?s?|mtons?|mtonnes?|tg)$/],
  ["Gt", /^(gt|giga-?ton(ne)?s?|gtons?|pg)$/],
];

/** Units of several words, such as `million metric tons` or `1,000 t`. */
const PHRASES: readonly (readonly [Unit, RegExp])[] = [
  ["short-ton", /\b(short|us) tons?\b/g],
  ["long-ton", /\b(long|imperial|uk) tons?\b/g],
  [
    "Mt",
    /\b(millions?( of| de)?|millones de|mio|mln|mn|1 ?000 ?000|10 ?6) ?(metric )?(m?t(?=co2|\b)|tons?\b|tonn|toneladas)/g,
  ],
  [
    "kt",
    /\b(thousands?( of)?|thou|tsd|tausend|miles de|milliers de|1 ?000|000s?|10 ?3) ?(metric )?(m?t(?=co2|\b)|tons?\b|tonn|toneladas)/g,
  ],
];

/** Units of energy, volume and distance, without `l`, which is an article in French. */
const OTHER =
  /^([kmgtp]?wh|[kmgtp]j|[km]cal|[km]?btu|mmbtu|therms?|[km]?t[co]e|lit(er|re)s?|gal|gallons?|m3|cubic|scf|km|kilomet(er|re)s?|miles?)$/;

/** Maximum length of a string to search for units, because the time grows with the square of a word's length. */
const MAX_LENGTH = 250;

/**
 * Finds the units in a column's name or a cell, such as `Emissions (kg CO2e)`, `ktCO2e` or `total_mwh`. Finds none in a
 * string of more than 250 characters.
 */
export function findUnits(text: string): NamedUnits {
  if (text.length > MAX_LENGTH) return { units: new Set(), other: undefined };
  const words = text.normalize("NFKC").match(/[\p{L}\p{N}]+/gu) ?? [];
  const units = new Set<Unit>();
  let phrase = words.join(" ").toLowerCase();
  for (const [unit, spelling] of PHRASES) {
    const without = phrase.replace(spelling, " ");
    if (without !== phrase) units.add(unit);
    phrase = without;
  }
  if (units.size > 0) return { units, other: undefined };
  let other: string | undefined;
  for (const word of words.flatMap(splitWord)) {
    if (OTHER.test(word.toLowerCase())) other ??= word;
    for (const unit of unitsOf(word)) units.add(unit);
  }
  return { units, other };
}

/** Separates a unit from words attached to it, such as `CO2e` or other words in camel case. */
function splitWord(word: string): string[] {
  const bare = word
    .replace(/^(total|ghg|emissions?|co2(eq|e)?)+(?=.)/i, "")
    .replace(/co2(eq?|equiv\w*)?$/i, "");
  if (unitsOf(bare).length > 0 || OTHER.test(bare.toLowerCase())) return [bare];
  const parts = word.split(/(?<=\p{Ll})(?=\p{Lu})/u);
  return parts.length > 1 ? parts : [];
}

function unitsOf(word: string): readonly Unit[] {
  const lower = word.toLowerCase();
  return EXACT.get(word) ?? SPELLINGS.flatMap(([unit, spelling]) => (spelling.test(lower) ? [unit] : []));
}

/** Returns the only unit of mass in a string; undefined if it has none, several, or a unit of another quantity. */
export function readUnit(text: string): Unit | undefined {
  const own = UNITS.find((unit) => unit === text);
  if (own !== undefined) return own;
  const { units, other } = findUnits(text);
  return units.size === 1 && other === undefined ? [...units][0] : undefined;
}

export const EXPECTED_UNIT = `a unit of mass: ${UNITS.join(", ")}`;
