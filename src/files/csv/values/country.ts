import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
let codes: ReadonlyMap<string, string> | undefined;

/** English comes first, so that no other language changes what an English name means. */
const LANGUAGES = ["en", "fr", "de", "es"];

/** Names that occur in files and that neither Unicode nor the package has. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  CD: "DR Congo",
  MM: "Burma",
  MO: "Macau",
  SZ: "Swaziland",
  VN: "Viet Nam",
  XK: "XKX",
};

/** A name without differences of case, accents, apostrophes and `&`: `Türkiye`, `Bosnia & Herzegovina`. */
const plain = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .replaceAll("’", "'")
    .replaceAll("&", "and");

/** ISO codes by code and by name, current or former. A name that two countries share is left out. */
function listCountries(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const listed = require("i18n-iso-countries/codes.json") as readonly (readonly [string, string])[];
  for (const [code, longCode] of listed) found.set(plain(code), code).set(plain(longCode), code);
  const ambiguous = new Set<string>();
  for (const language of LANGUAGES) {
    for (const [name, code] of listNames(language, ambiguous)) if (!found.has(name)) found.set(name, code);
  }
  for (const name of ambiguous) found.delete(name);
  for (const [code, name] of Object.entries(OTHER_NAMES)) found.set(plain(name), code);
  return found;
}

/**
 * Country codes by their names in one language: current names from Unicode, other names from the package. A name of two
 * countries, such as Congo, is added to `ambiguous`.
 */
function listNames(language: string, ambiguous: Set<string>): ReadonlyMap<string, string> {
  const { countries } = require(`i18n-iso-countries/langs/${language}.json`) as {
    countries: Readonly<Record<string, string | string[]>>;
  };
  const styles = (["long", "short"] as const).map(
    (style) => new Intl.DisplayNames(language, { type: "region", style }),
  );
  const found = new Map<string, string>();
  for (const [code, listed] of Object.entries(countries)) {
    const unicode = styles.map((names) => names.of(code) ?? code);
    for (const name of unicode.concat(listed).map(plain)) {
      if ((found.get(name) ?? code) !== code) ambiguous.add(name);
      found.set(name, code);
    }
  }
  return found;
}

/**
 * The ISO 3166-1 alpha-2 code (`IN`) of a country given by its two- or three-letter code, or by its English, French,
 * German or Spanish name; undefined for anything else.
 */
export function readCountry(text: string): string | undefined {
  codes ??= listCountries();
  return codes.get(plain(text));
}

/** What a country is expected to be. */
export const EXPECTED_COUNTRY =
  "an ISO 3166-1 country code, or a country's English, French, German or Spanish name";
