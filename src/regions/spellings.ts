import { withoutAccents } from "../domain/texts/fold.js";

/** Returns a region's name without differences of case, accents, hyphens, full stops and `&`: `Türkiye`, `Bosnia & Herzegovina`, `U.S.`. */
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

/** Plain forms of a name: with umlauts as single letters, and as two letters (`oesterreich`). */
export function spellingsOfRegion(name: string): readonly string[] {
  const spelledOut = UMLAUTS.reduce((text, [umlaut, letters]) => text.replaceAll(umlaut, letters), name);
  return [...new Set([plainRegion(name), plainRegion(spelledOut)])];
}
