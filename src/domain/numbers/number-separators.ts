/** Separators of numbers in a locale. */
export interface NumberSeparators {
  readonly decimal: string;
  /** Separator between groups of digits; `" "` or `"'"` for a space or an apostrophe of any kind. */
  readonly group: string;
  /** Number of digits in each group but the last, which has three: 2 in India. */
  readonly groupSize: number;
}

/** Replaces spaces and apostrophes of all kinds with plain ones: French uses narrow no-break spaces, Swiss `’`. */
export const simplifySeparators = (text: string): string => text.replace(/\s/g, " ").replace(/[’ʼ]/g, "'");

/** Returns the separators of a BCP 47 locale, from `Intl`. Throws a RangeError if `locale` is invalid. */
export function findSeparators(locale: string): NumberSeparators {
  const parts = new Intl.NumberFormat(locale, LATIN).formatToParts(123_456_789_012.5);
  const find = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  const groups = parts.filter(({ type }) => type === "integer");
  return {
    decimal: find("decimal"),
    group: simplifySeparators(find("group")),
    groupSize: groups.at(-2)?.value.length ?? 3,
  };
}

/** Readers accept only the digits 0 to 9. */
const LATIN = { numberingSystem: "latn" } as const;

/** Returns an example of a number in a locale: `12.000,5` in German. */
export const exampleOf = (locale: string): string => new Intl.NumberFormat(locale, LATIN).format(12_000.5);
