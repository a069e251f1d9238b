import { nameOfCountry, readCountry } from "./countries.js";
import { plainRegion } from "./spellings.js";

/** A country or a group of countries. */
export interface Region {
  /** An ISO 3166-1 alpha-2 code, `EU`, `Global`, or the name of another group, such as `ASEAN`. */
  readonly code: string;
  readonly name: string;
}

/** Region of emission factors that apply everywhere. */
export const GLOBAL = "Global";

/** Groups of countries in factor publications, with their other names. */
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

/** Returns the region with this code or name, in any case; null for anything else. */
export function findRegion(text: string): Region | null {
  const code = regionCodeOf(text);
  if (code === null) return null;
  return { code, name: GROUP_CODES.has(plainRegion(code)) ? code : nameOfCountry(code) };
}

/** Returns the code of a region by its code or name, such as `GB` for `UK`; null if it is unknown. */
export const regionCodeOf = (text: string): string | null =>
  GROUP_CODES.get(plainRegion(text)) ?? readCountry(text) ?? null;

/** Returns a string that is equal for all names of a region, and for an unknown name in any case. */
export const regionKeyOf = (text: string): string => regionCodeOf(text) ?? `:${plainRegion(text)}`;
