import { foldText } from "../texts/fold.js";
import { isConvertible, listUnitMeanings, readUnit, type Unit } from "./units.js";

/** Maximum number of an organization's mappings. Each import of activities reads all of them. */
export const MAX_MAPPINGS = 10_000;

/** Maximum number of mappings set by one call. */
export const MAX_SET = 500;

/** Key of a mapping. `region` is a code, or empty for all regions. */
export interface MappingKey {
  readonly textKey: string;
  readonly unitKey: string;
  readonly region: string;
}

/** Returns a unit's dimension and calorific value, such as `energy` or `energy gross`. */
export const unitKeyOf = ({ dimension, qualifier }: Unit): string =>
  qualifier === null ? dimension : `${dimension} ${qualifier}`;

/** Returns the key of a mapping; `region` is a code, or null for all regions. */
export const mappingKeyOf = (text: string, unit: Unit, region: string | null): MappingKey => ({
  textKey: foldText(text),
  unitKey: unitKeyOf(unit),
  region: region ?? "",
});

/** Returns a mapping's key as one string. */
export const nameOfKey = ({
  textKey,
  unitKey,
  region,
}: { readonly [Part in keyof MappingKey]: string | null }) =>
  JSON.stringify([textKey, unitKey, region ?? ""]);

/**
 * Lists the units that an ambiguous unit may mean, such as three for `ton`. An energy unit without a calorific value
 * may have either.
 */
export function listReadings({ name, dimension, qualifier }: Unit): readonly string[] {
  const meanings = listUnitMeanings(name);
  if (meanings.length > 0) return meanings;
  return dimension === "energy" && qualifier === null ? [`${name} (gross CV)`, `${name} (net CV)`] : [];
}

/**
 * Returns the reading of `unit` that converts to `factorUnit`. If several do, returns the one that is the factor's own
 * unit. Null if `unit` itself converts; undefined if no reading does, or several do and none is the factor's unit.
 */
export function findReading(unit: Unit, factorUnit: Unit): string | null | undefined {
  if (isConvertible(unit, factorUnit)) return null;
  const fitting = listReadings(unit).filter((name) => isConvertible(readUnit(name), factorUnit));
  if (fitting.length === 1) return fitting[0];
  return fitting.find((name) => readUnit(name).name === factorUnit.name);
}

/**
 * Applies a mapping's reading to a file's unit: `unitAs` adds the calorific value or the kind of ton that the file does
 * not state. The file and the mapping may use different energy units.
 */
export function applyReading(unit: Unit, unitAs: string | null): Unit {
  if (unitAs === null) return unit;
  const as = readUnit(unitAs);
  return unit.dimension === "energy" && unit.qualifier === null && as.qualifier !== null
    ? readUnit(`${unit.name} (${as.qualifier} CV)`)
    : as;
}
