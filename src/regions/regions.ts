import { nameOfCountry, readCountry } from "./countries.js";
import { plainRegion } from "./spellings.js";

/** A country or a group of countries. */
export interface Region {
  /** An ISO 3166-1 alpha-2 code, `EU`, `Global`, or the name of another group, such as `ASEAN`. */
  readonly code: string;
  readonly name: string;
}

/** The region of emission factors that hold everywhere. */
export const GLOBAL = "Global";

/** Groups of countries that publications have factors of, with other names. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  EU: ["European Union", "Europe", "Europäische Union", "Union européenne", "Unión Europea"],
  [GLOBAL]: ["World", "Worldwide"],
  Africa: [],
  ASEAN: [],
  Asia: [],
  "Europe (continent)": [],
  G20: [],
  G7: [],
  "Latin America and Caribbean": [],
  "Middle East": [],
  "North America": [],
  Oceania: [],
  OECD: [],
};

const GROUP_CODES: ReadonlyMap<string, string> = new Map(
  Object.entries(GROUPS).flatMap(([code, names]) =>
    [code, ...names].map((name) => [plainRegion(name), code] as const),
  ),
);

/** The region with this code or name, in any case; null for anything else. */
export function findRegion(text: string): Region | null {
  const code = regionCodeOf(text);
  if (code === null) return null;
  return { code, name: GROUP_CODES.has(plainRegion(code)) ? code : nameOfCountry(code) };
}

/** The code of the region that a factor or a caller names, such as `GB` for `UK`; null if it is none that is known. */
export const regionCodeOf = (text: string): string | null =>
  GROUP_CODES.get(plainRegion(text)) ?? readCountry(text) ?? null;

/** A text that is the same for all names of one region, and for one name of an unknown region in any case. */
export const regionKeyOf = (text: string): string => regionCodeOf(text) ?? `:${plainRegion(text)}`;
