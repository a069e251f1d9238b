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

/** Codes by themselves and by their English names, the long and the short one, in small letters. */
function listCountries(): ReadonlyMap<string, string> {
  const all = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(isCode);
  const styles = (["long", "short"] as const).map(
    (style) => new Intl.DisplayNames("en", { type: "region", style }),
  );
  return new Map(
    all.flatMap((code) =>
      [code, ...styles.map((names) => names.of(code) ?? code)].map(
        (name) => [name.toLowerCase(), code] as const,
      ),
    ),
  );
}

/** The ISO 3166-1 code (`IN`) of a country given by its code or its English name; undefined for anything else. */
export function readCountry(text: string): string | undefined {
  codes ??= listCountries();
  return codes.get(text.trim().toLowerCase());
}
