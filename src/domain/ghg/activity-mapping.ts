import { foldText } from "../texts/fold.js";
import { isConvertible, listUnitMeanings, readUnit, type Unit } from "./units.js";

/** Maximum number of an organization's mappings. Each import of activities reads all of them. */
export const MOST_MAPPINGS = 10_000;

/** Maximum number of mappings that one call sets. */
export const MOST_SET = 500;

/** What a mapping is found by: a text, a unit, and the code of a region, which is empty for all regions. */
export interface MappingKey {
  readonly textKey: string;
  readonly unitKey: string;
  readonly region: string;
}

/** The kind of a unit: its dimension and its calorific value, such as `energy` or `energy gross`. */
export const unitKeyOf = ({ dimension, qualifier }: Unit): string =>
  qualifier === null ? dimension : `${dimension} ${qualifier}`;

/** The key of a mapping of a text and a unit; `region` is a code, or null for all regions. */
export const mappingKeyOf = (text: string, unit: Unit, region: string | null): MappingKey => ({
  textKey: foldText(text),
  unitKey: unitKeyOf(unit),
  region: region ?? "",
});

/** The units that a unit may stand for, such as those of a `ton`; a bare unit of energy may be of either calorific value. */
export function listReadings({ name, dimension, qualifier }: Unit): readonly string[] {
  const meanings = listUnitMeanings(name);
  if (meanings.length > 0) return meanings;
  return dimension === "energy" && qualifier === null ? [`${name} (gross CV)`, `${name} (net CV)`] : [];
}

/**
 * Returns how amounts in `unit` are read for a factor per `factorUnit`: null if they convert as they are, the reading that
 * converts if the factor leaves only one, and undefined if none converts or several do.
 */
export function findReading(unit: Unit, factorUnit: Unit): string | null | undefined {
  if (isConvertible(unit, factorUnit)) return null;
  const fitting = listReadings(unit).filter((name) => isConvertible(readUnit(name), factorUnit));
  if (fitting.length === 1) return fitting[0];
  return fitting.find((name) => readUnit(name).name === factorUnit.name);
}

/**
 * Returns the unit that a mapping makes of a file's: `unitAs` has the calorific value or the ton that the file leaves open.
 * The file's energy may be in another unit than the mapping's.
 */
export function applyReading(unit: Unit, unitAs: string | null): Unit {
  if (unitAs === null) return unit;
  const as = readUnit(unitAs);
  return unit.dimension === "energy" && unit.qualifier === null && as.qualifier !== null
    ? readUnit(`${unit.name} (${as.qualifier} CV)`)
    : as;
}
