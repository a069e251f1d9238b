import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
let codes: ReadonlyMap<string, string> | undefined;

/** English comes first: a name of another language never changes what it calls a country. */
const LANGUAGES = ["en", "fr", "de", "es"];

/** Names that files have, and neither Unicode nor the list. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  CD: "DR Congo",
  MM: "Burma",
  MO: "Macau",
  SZ: "Swaziland",
  VN: "Viet Nam",
  XK: "XKX",
};

/** Without what one may leave out or write in two ways: `Türkiye`, `Bosnia & Herzegovina`. */
const plain = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .replaceAll("’", "'")
    .replaceAll("&", "and");

/** Codes of countries by these codes and by names of today and of before. A name that two countries have is left out. */
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
 * The names of one language: those of today from Unicode, and others that are in use from a list. What it calls two
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
    for (const name of [...unicode, ...[listed].flat()].map(plain)) {
      if ((found.get(name) ?? code) !== code) ambiguous.add(name);
      found.set(name, code);
    }
  }
  return found;
}

/**
 * The ISO 3166-1 code (`IN`) of a country given by its code of two or three letters, or by its English, French, German
 * or Spanish name; undefined for anything else.
 */
export function readCountry(text: string): string | undefined {
  codes ??= listCountries();
  return codes.get(plain(text));
}
