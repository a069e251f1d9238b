import type { Unit } from "../ghg/units.js";
import { YEARS } from "./factor-series.js";
import { foldWords } from "./fold-words.js";

/** Fields of a factor that show whether it is the usual variant of its activity. */
export interface VariantTraits {
  readonly activity: string;
  readonly detail: string | null;
  readonly category: string;
  readonly publisherCategory?: string | null;
}

/** Words for usual variants: average size, unknown fuel, average laden, average passenger, with RF, biofuel blend. */
const USUAL = foldWords(
  "average all types unknown fuel laden passenger passengers with RF biofuel blend regular mixed national release",
);

/**
 * Words for variants that a query must name: sizes, vehicle fuels, loads, classes and materials that are not average.
 */
const UNUSUAL = foldWords(
  `small medium large mini supermini lower upper executive luxury sports dual purpose MPV class I II III rigid rigids
   articulated artics diesel petrol hybrid plug CNG LPG battery electric economy business first premium without mineral
   refrigerated foot black London only non excl teu dwt ceu lm re-used closed-loop source`,
);
const VEHICLE = /\b(distance|passenger distance|freight distance)\b/;
const FUELS = new Set(foldWords("diesel petrol hybrid plug CNG LPG battery electric"));
const USUAL_WORDS: ReadonlySet<string> = new Set(USUAL);
const UNUSUAL_WORDS: ReadonlySet<string> = new Set(UNUSUAL);

/**
 * Returns true for a word that means the usual variant. For vehicles, fuels count too, since they only name a variant.
 */
export const isUsualWord = (word: string, unit?: Unit): boolean =>
  USUAL_WORDS.has(word) || (unit !== undefined && FUELS.has(word) && VEHICLE.test(unit.dimension));

/** Lists the words in a factor's name and detail that mark an unusual variant. */
export function listUnusual({ activity, detail }: VariantTraits, { dimension }: Unit): string[] {
  const isVehicle = VEHICLE.test(dimension);
  const name = activity.replaceAll(/\((?!100|elec)[^)]*\)/g, "");
  const words = new Set(foldWords(`${name} ${detail?.replaceAll(YEARS, "") ?? ""}`));
  return [...words].filter(
    (word) => (UNUSUAL_WORDS.has(word) && (isVehicle || !FUELS.has(word))) || /^\d/.test(word),
  );
}

/** Usual units of fuels, by physical state. `rankUnit` covers other activities. */
const USUAL_UNITS: readonly [category: RegExp, unit: string][] = [
  [/gaseous fuels|natural gas/i, "kWh (gross CV)"],
  [/biogas/i, "kWh"],
  [/liquid fuels|biofuel/i, "litre"],
  [/solid fuels|biomass/i, "tonne"],
];

/**
 * Ranks a factor's unit. Fuels: 0 for the usual unit (gases: kWh gross CV, biogas: kWh, liquids: litre, solids: tonne),
 * 1 for others. Other activities: 1 for miles, net calorific values and millions of litres, 0 for others.
 */
export function rankUnit({ activity, category, publisherCategory }: VariantTraits, unit: Unit): number {
  const kind = `${publisherCategory ?? category}: ${activity}`;
  const usual = USUAL_UNITS.find(([pattern]) => pattern.test(kind))?.[1];
  if (usual !== undefined) return unit.name === usual ? 0 : 1;
  return unit.name === "mile" || unit.qualifier === "net" || unit.name === "million litres" ? 1 : 0;
}
