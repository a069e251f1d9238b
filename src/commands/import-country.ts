import { createRequire } from "node:module";
import { GraphQLCountryCode } from "graphql-scalars";

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
let codes: ReadonlyMap<string, string> | undefined;

function isCode(text: string): boolean {
  try {
    GraphQLCountryCode.parseValue(text);
    return /^[A-Z]{2}$/.test(text);
  } catch {
    return false;
  }
}

/** Without what the same name is written with and without: `Türkiye`, `Bosnia & Herzegovina`. */
const plain = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .replaceAll("’", "'")
    .replaceAll("&", "and");

/** Codes by themselves and by their English names: those of today from Unicode, others that are in use from a list. */
function listCountries(): ReadonlyMap<string, string> {
  const { countries } = createRequire(import.meta.url)("i18n-iso-countries/langs/en.json") as {
    countries: Readonly<Record<string, string | string[]>>;
  };
  const all = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(isCode);
  const styles = (["long", "short"] as const).map(
    (style) => new Intl.DisplayNames("en", { type: "region", style }),
  );
  return new Map(
    all.flatMap((code) =>
      [code, ...styles.map((names) => names.of(code) ?? code), ...[countries[code] ?? []].flat()].map(
        (name) => [plain(name), code] as const,
      ),
    ),
  );
}

/** The ISO 3166-1 code (`IN`) of a country given by its code or its English name; undefined for anything else. */
export function readCountry(text: string): string | undefined {
  codes ??= listCountries();
  return codes.get(plain(text));
}
