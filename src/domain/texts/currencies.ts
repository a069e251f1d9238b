/** ISO 4217 codes known to ICU. */
const ALL_CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** Returns true if a string is an ISO 4217 code, such as `EUR`. */
export const isCurrencyCode = (text: string): boolean => ALL_CODES.has(text);

/** Codes that are not also English words found in headers. */
const CODES = new Set(ALL_CODES);
for (const word of ["ALL", "CUP", "PEN", "SOS", "TOP", "TRY"]) CODES.delete(word);

/** Finds a currency in a column's name by its symbol or its ISO 4217 code in capitals: `EUR` in `Betrag EUR`. */
export function findCurrency(text: string): string | undefined {
  const [symbol] = /\p{Sc}/u.exec(text) ?? [];
  return symbol ?? text.match(/(?<![\p{L}\p{N}])[A-Z]{3}(?![\p{L}\p{N}])/gu)?.find((code) => CODES.has(code));
}

/** Reads a string that consists of a currency alone, such as `EUR`, `eur` or `US$`. */
export function readCurrency(text: string): string | undefined {
  if (/^[A-Z]{0,3}\p{Sc}$/u.test(text)) return text;
  const code = text.toUpperCase();
  return CODES.has(code) ? code : undefined;
}
