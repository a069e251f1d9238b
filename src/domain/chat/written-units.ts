/** A unit in a text. `scale` converts it to `name`: 1 `kt` is 1,000 `t`. */
export interface Unit {
  readonly name: string;
  readonly scale: number;
  /** The denominator, such as `kwh`; empty if the unit has none. */
  readonly per: string;
}

/** Adjectives allowed between a number and the things it counts. */
const ADJECTIVES =
  "(?:(?:open|overdue|pending|upcoming|compliance|emissions?|carbon|available|issued|sold|retired|calendar) )*";
/** `maskCo2` writes CO2 as `COx`. */
const GAS =
  "(?: ?(?:of )?(?:COx|carbon dioxide|greenhouse gas(?:es)?)(?:[ -]?e(?:q(?:uivalents?)?)?|[ -]equivalents?)?)?";
const tonnes = (prefix: string, symbol: string) => `(?:(?:${prefix})-?(?:tonnes?|tons?)|${symbol})${GAS}`;
const COUNTED: Readonly<Record<string, string>> = {
  records: "records?|entries|entry",
  facilities: "facilit(?:y|ies)",
  ...Object.fromEntries(
    ["deadlines", "credits", "factors", "months", "days"].map((name) => [name, `${name}?`]),
  ),
};

/** Spellings of units, in any case. Covers the units of all figures. */
const WRITTEN: readonly (readonly [source: string, name: string, scale?: number])[] = [
  [`(?:(?:metric )?(?:tonnes?|tons?)|t)${GAS}`, "t"],
  [tonnes("kilo", "kt"), "t", 1e3],
  [tonnes("mega", "mt"), "t", 1e6],
  [tonnes("giga", "gt"), "t", 1e9],
  [`(?:kilogram(?:me)?s?|kgs?)${GAS}`, "t", 1e-3],
  [`(?:gram(?:me)?s?|g)${GAS}`, "t", 1e-6],
  ["(?:%|percent|per cent)(?![ -]?points?)", "%"],
  ["€|euros?", "EUR"],
  ["\\$|(?:US )?dollars?", "USD"],
  ["£|pounds? sterling", "GBP"],
  ["₹|rupees?", "INR"],
  ...Object.entries(COUNTED).map(([name, source]) => [`${ADJECTIVES}(?:${source})`, name] as const),
];
const END = "(?![\\p{L}\\p{N}])";
const UNITS = WRITTEN.map(([source, name, scale = 1]) => {
  return { name, scale, pattern: new RegExp(` ?(?:${source})${END}`, "iuy") };
});
/** Matches a currency code, such as `EUR`. */
const CURRENCY = new RegExp(` ?([A-Z]{3})${END}`, "uy");
const PER = /(?: ?\/ ?| per | an? )(\p{L}[\p{L}\p{N}.-]*)/iuy;
const TONNE = /^(?:t|tonnes?|tons?|tcoxe?)$/;

/** Replaces the 2 of CO2 with `x`, so that it is not read as a number. */
export const maskCo2 = (text: string): string =>
  text.replace(/(?<![\p{L}\p{N}])(k?t|mt|gt|k?g)?CO[2₂](?=e?q?(?![\p{L}\p{N}]))/giu, "$1COx");

/** Matches a sticky pattern at a position of a text. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Reads the unit at a position of a text from `maskCo2`, and where it ends; null without a known unit. */
export function readUnit(text: string, at: number): { readonly unit: Unit; readonly end: number } | null {
  const known = UNITS.find(({ pattern }) => matchAt(pattern, text, at));
  const match = matchAt(known?.pattern ?? CURRENCY, text, at);
  if (!match) return null;
  const { name, scale } = known ?? { name: match[1] ?? "", scale: 1 };
  const end = at + match[0].length;
  const per = matchAt(PER, text, end);
  const below = per?.[1]?.toLowerCase().replace(/[.-]+$/, "") ?? "";
  return {
    unit: { name, scale, per: TONNE.test(below) ? "t" : below },
    end: end + (per?.[0].length ?? 0),
  };
}

export const isCurrency = (name: string): boolean => /^[A-Z]{3}$/.test(name);
