import { readUnit } from "../ghg/units.js";

/** Fields of a factor that a selector is compared with. */
export interface SelectableTraits {
  readonly category: string;
  readonly publisherCategory: string | null;
  readonly detail: string | null;
  readonly unit: string;
}

/** Normalizes case and spaces. */
export const plainText = (text: string): string => text.trim().replaceAll(/\s+/g, " ").toLowerCase();

/** Returns the two levels of a publisher's category: `Fuels` and `Gaseous fuels` for `Fuels: Gaseous fuels`. */
export function levelsOf(category: string): readonly [first: string, second: string] {
  const [first = category, ...rest] = category.split(": ");
  return [first, rest.length === 0 ? first : rest.join(": ")];
}

/** Returns true if `wanted` is the factor's category, its publisher's category, or a level of the latter. */
export function hasCategory(
  { category, publisherCategory }: Pick<SelectableTraits, "category" | "publisherCategory">,
  wanted: string,
): boolean {
  const levels = publisherCategory === null ? [] : levelsOf(publisherCategory);
  const names = [category, publisherCategory ?? category, ...levels, levels.join(": ")];
  return names.map(plainText).includes(plainText(wanted));
}

/** Returns true if the factor's detail has every part of `wanted`. Ignores a part that repeats the unit. */
export function hasDetail({ detail, unit }: SelectableTraits, wanted: string): boolean {
  const own = partsOf(detail ?? "");
  if (plainText(detail ?? "") === plainText(wanted)) return true;
  return partsOf(wanted).every((part) => own.includes(part) || readUnit(part).name === unit);
}

const partsOf = (detail: string): readonly string[] => detail.split(", ").map(plainText).filter(Boolean);
