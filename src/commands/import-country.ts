import { createRequire } from "node:module";

let codes: ReadonlyMap<string, string> | undefined;

/** Names that neither Unicode nor the list has, and files do: of ISO 3166 itself, short, or former ones. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  CD: "DR Congo",
  MM: "Burma",
  MO: "Macau",
  SZ: "Swaziland",
  VN: "Viet Nam",
};

/** Without what the same name is written with and without: `Türkiye`, `Bosnia & Herzegovina`. */
const plain = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .replaceAll("’", "'")
    .replaceAll("&", "and");

/**
 * Codes by themselves and by their English names: those of today from Unicode, others that are in use from a list. What
 * two countries are called, such as Congo, is the name of neither.
 */
function listCountries(): ReadonlyMap<string, string> {
  const { countries } = createRequire(import.meta.url)("i18n-iso-countries/langs/en.json") as {
    countries: Readonly<Record<string, string | string[]>>;
  };
  const styles = (["long", "short"] as const).map(
    (style) => new Intl.DisplayNames("en", { type: "region", style }),
  );
  const found = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const [code, listed] of Object.entries(countries)) {
    const unicode = styles.map((names) => names.of(code) ?? code);
    for (const name of [code, ...unicode, ...[listed].flat(), OTHER_NAMES[code] ?? code].map(plain)) {
      if ((found.get(name) ?? code) !== code) ambiguous.add(name);
      found.set(name, code);
    }
  }
  for (const name of ambiguous) found.delete(name);
  return found;
}

/** The ISO 3166-1 code (`IN`) of a country given by its code or its English name; undefined for anything else. */
export function readCountry(text: string): string | undefined {
  codes ??= listCountries();
  return codes.get(plain(text));
}
