import { createRequire } from "node:module";
import { once } from "../domain/once.js";
import { plainRegion, spellingsOfRegion } from "./spellings.js";

const require = createRequire(import.meta.url);

/** English comes first, so that other languages cannot redefine an English name. */
const LANGUAGES = ["en", "fr", "de", "es"];

/** Names in files and publications that neither Unicode nor the package has. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  CD: ["DR Congo"],
  GB: ["UK", "Britain"],
  HK: ["Hong Kong, China"],
  KR: ["Korea"],
  MM: ["Burma"],
  MO: ["Macau"],
  NL: ["Holland"],
  PH: ["The Philippines"],
  SZ: ["Swaziland"],
  TR: ["Turkey"],
  US: ["US", "America"],
  VN: ["Viet Nam", "Vietnam"],
  XK: ["XKX"],
};

/** ISO codes by code, and by current or former name. Omits names that two countries share in one language. */
const countries = once((): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  const listed = require("i18n-iso-countries/codes.json") as readonly (readonly [string, string])[];
  for (const [code, longCode] of listed) found.set(plainRegion(code), code).set(plainRegion(longCode), code);
  const ambiguous = new Set<string>();
  for (const language of LANGUAGES) {
    for (const [name, code] of listNames(language, ambiguous)) if (!found.has(name)) found.set(name, code);
  }
  for (const name of ambiguous) found.delete(name);
  for (const [code, names] of Object.entries(OTHER_NAMES)) {
    for (const name of names) found.set(plainRegion(name), code);
  }
  return found;
});

/**
 * Returns country codes by name in one language: current names from Unicode, others from the package. Adds names of two
 * countries, such as Congo, to `ambiguous`.
 */
function listNames(language: string, ambiguous: Set<string>): ReadonlyMap<string, string> {
  const { countries: listed } = require(`i18n-iso-countries/langs/${language}.json`) as {
    countries: Readonly<Record<string, string | string[]>>;
  };
  const styles = (["long", "short"] as const).map(
    (style) => new Intl.DisplayNames(language, { type: "region", style }),
  );
  const found = new Map<string, string>();
  for (const [code, names] of Object.entries(listed)) {
    const unicode = styles.map((style) => style.of(code) ?? code);
    for (const name of unicode.concat(names).flatMap(spellingsOfRegion)) {
      if ((found.get(name) ?? code) !== code) ambiguous.add(name);
      found.set(name, code);
    }
  }
  return found;
}

/**
 * Returns the ISO 3166-1 alpha-2 code of a country by its two- or three-letter code, its English, French, German or
 * Spanish name, or a common short form such as `UK`; undefined for anything else.
 */
export const readCountry = (text: string): string | undefined => countries().get(plainRegion(text));

/** Description of a valid country, for messages. */
export const EXPECTED_COUNTRY =
  "an ISO 3166-1 country code, or a country's English, French, German or Spanish name";

const englishNames = once(() => new Intl.DisplayNames("en", { type: "region" }));

/** Returns the English name of a country by its two-letter code. */
export const nameOfCountry = (code: string): string => englishNames().of(code) ?? code;
