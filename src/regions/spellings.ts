import { withoutAccents } from "../domain/texts/fold.js";

/** Normalizes case, accents, hyphens, full stops and `&` in the name of a region, such as `Türkiye` or `U.S.`. */
export const plainRegion = (name: string): string =>
  withoutAccents(name.toLowerCase())
    .replaceAll("’", "'")
    .replaceAll("ß", "ss")
    .replaceAll("&", "and")
    .replaceAll(".", "")
    .replace(/[\s\p{Pd}]+/gu, " ")
    .trim();

const UMLAUTS: readonly (readonly [RegExp, string])[] = [
  [/ä/gi, "ae"],
  [/ö/gi, "oe"],
  [/ü/gi, "ue"],
];

/** Returns the plain forms of a name, with umlauts as one letter and as two (`oesterreich`). */
export function spellingsOfRegion(name: string): readonly string[] {
  const spelledOut = UMLAUTS.reduce((text, [umlaut, letters]) => text.replaceAll(umlaut, letters), name);
  return [...new Set([plainRegion(name), plainRegion(spelledOut)])];
}
