import { divideFractions, type Fraction, readFraction } from "../fractions.js";

/** Which heat of combustion an amount of energy means. Never converted into each other. */
export const CALORIFIC_VALUES = ["gross", "net"] as const;
export type CalorificValue = (typeof CALORIFIC_VALUES)[number];

/** A unit of an activity, such as `kWh (gross CV)` or `tonne.km`. */
export interface Unit {
  readonly name: string;
  /** Units of one dimension can be converted, unless their calorific values differ. */
  readonly dimension: string;
  readonly qualifier: CalorificValue | null;
  /** Its size in the smallest sensible unit of its dimension: MJ, litres, kilograms or kilometres. */
  readonly size: string;
}

type Definition = readonly [name: string, size: string, ...spellings: string[]];

/**
 * Units by dimension. Sizes are exact: of the joule by definition (MMBtu: International Table), of gallons, pounds, tons
 * and miles by the international yard and pound agreement of 1959 and the British Weights and Measures Act 1985.
 */
const DIMENSIONS: Readonly<Record<string, readonly Definition[]>> = {
  energy: [
    ["kWh", "3.6"],
    ["MWh", "3600"],
    ["GJ", "1000"],
    ["TJ", "1000000"],
    ["MMBtu", "1055.05585262"],
  ],
  volume: [
    ["litre", "1", "l", "litres", "liter", "liters"],
    ["m3", "1000", "m³", "cubic metre", "cubic metres", "cubic meter", "cubic meters"],
    ["US gallon", "3.785411784", "us gallons", "us gal", "gal (us)", "gallon (us)", "gallons (us)"],
    [
      "imperial gallon",
      "4.54609",
      "imperial gallons",
      "imp gal",
      "gal (imp)",
      "gal (uk)",
      "uk gallon",
      "uk gallons",
    ],
  ],
  "normal volume": [["Nm3", "1", "nm³"]],
  mass: [
    ["g", "0.001", "gram", "grams"],
    ["kg", "1", "kgs", "kilogram", "kilograms"],
    ["tonne", "1000", "t", "tonnes", "metric ton", "metric tons"],
    ["lb", "0.45359237", "lbs", "pound", "pounds"],
    ["short ton", "907.18474", "short tons", "us ton", "us tons"],
  ],
  distance: [
    ["km", "1", "kilometre", "kilometres", "kilometer", "kilometers"],
    ["mile", "1.609344", "miles", "mi"],
  ],
  "passenger distance": [["passenger.km", "1", "passenger km", "passenger-km", "pkm"]],
  "freight distance": [["tonne.km", "1", "tonne km", "tonne-km", "tkm"]],
  "room nights": [["room night", "1", "room nights", "room-night", "room-nights", "room per night"]],
  "working time": [["FTE working hour", "1", "fte working hours", "per fte working hour"]],
};

const UNITS: ReadonlyMap<string, Omit<Unit, "qualifier">> = new Map(
  Object.entries(DIMENSIONS).flatMap(([dimension, definitions]) =>
    definitions.flatMap(([name, size, ...spellings]) =>
      [name.toLowerCase(), ...spellings].map((spelling) => [spelling, { name, dimension, size }] as const),
    ),
  ),
);

const QUALIFIED = /^(.+?) ?\((gross|net) cv\)$/;

/** Reads a unit in any case and the usual spellings. Any other word is a unit that converts into nothing but itself. */
export function readUnit(text: string): Unit {
  const plain = text.trim().replaceAll(/\s+/g, " ").toLowerCase();
  const [, energy = plain, qualifier] = QUALIFIED.exec(plain) ?? [];
  const known = UNITS.get(energy);
  if (known && qualifier === undefined) return { ...known, qualifier: null };
  if (known?.dimension === "energy") {
    return { ...known, name: `${known.name} (${qualifier} CV)`, qualifier: qualifier as CalorificValue };
  }
  return { name: plain, dimension: plain, qualifier: null, size: "1" };
}

/** Whether an amount in one unit can be converted to the other. */
export const isConvertible = (one: Unit, other: Unit): boolean =>
  one.dimension === other.dimension && one.qualifier === other.qualifier;

/** How many of `to` one of `from` is. The units must be convertible. */
export const conversionOf = (from: Unit, to: Unit): Fraction =>
  divideFractions(readFraction(from.size), readFraction(to.size));
