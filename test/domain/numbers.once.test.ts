import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNumberReader } from "../../src/domain/numbers/read-number.js";

/** Returns the value that a string is read as, the possible readings followed by "?", or null. */
function outcomeOf(locale: string, text: string): string | null {
  const reading = createNumberReader(locale)(text);
  if ("value" in reading) return reading.value;
  return "readings" in reading ? `${reading.readings.map(({ value }) => value).join(" or ")}?` : null;
}

/** Strings that are not numbers in a locale. */
const REFUSED: readonly (readonly [locale: string, texts: readonly string[]])[] = [
  ["en-GB", ["1,2,3", "--5", "12 kWh", "", "-", ".", "5.", "1e3", "+5", "1,25.0", "1.2,3.4", "12,0000,000"]],
  ["de-DE", ["1 2", "1'250 000", "0 125", "0.125.000", "1..250", "٣", "1 250'5", "1_000", "Infinity"]],
];

describe("a number as people write it", () => {
  it.each<[string, string, string | null]>([
    // Groups of three by the locale's separator, or by any space or apostrophe.
    ["de-DE", "1.250", "1250"],
    ["de-DE", "1 250", "1250"],
    ["en-GB", "1,250", "1250"],
    ["en-GB", "12 000", "12000"],
    ["en-GB", "12\u202f000\u00a0000", "12000000"],
    ["de-DE", "1'250", "1250"],
    // The locale's decimal separator before exactly three digits, after 1 to 3 digits that do not begin with 0.
    ["de-DE", "1,250", "1.25 or 1250?"],
    ["en-GB", "1.250", "1.25 or 1250?"],
    ["de-DE", "-999,999", "-999.999 or -999999?"],
    // The locale's decimal separator before other digits.
    ["de-DE", "1250,5", "1250.5"],
    ["de-DE", "0,125", "0.125"],
    ["de-DE", "1250,500", "1250.5"],
    ["en-GB", "1250.5", "1250.5"],
    ["en-GB", "0.125", "0.125"],
    ["en-GB", ".5", "0.5"],
    ["en-GB", "1.2500", "1.25"],
    // Two kinds, each once in its place.
    ["de-DE", "1,234.56", "1234.56"],
    ["en-GB", "1.234,56", "1234.56"],
    ["de-DE", "1.234,567", "1234.567"],
    ["en-GB", "1,234,567.891", "1234567.891"],
    ["de-DE", "1 250,500", "1250.5"],
    ["de-DE", "1 250.5", "1250.5"],
    // The other separator where it cannot group.
    ["de-DE", "12.5", "12.5?"],
    ["en-GB", "1250,5", "1250.5?"],
    ["de-DE", "0.125", "0.125?"],
    ["de-DE", "1250.500", "1250.5?"],
    // The same separator twice, in groups of three.
    ["de-DE", "1.234.567", "1234567"],
    ["en-GB", "1.234.567", "1234567"],
    ["de-DE", "1,234,567", "1234567"],
    // Indian and Swiss numbers.
    ["en-IN", "12,34,567", "1234567"],
    ["en-IN", "12,34,567.5", "1234567.5"],
    ["en-IN", "1,234,567", "1234567"],
    ["en-GB", "12,34,567", null],
    ["de-CH", "1’250.50", "1250.5"],
    ["de-CH", "1,250", "1.25 or 1250?"],
    // A separator that the locale uses for nothing may be either.
    ["fr-FR", "1.250", "1.25 or 1250?"],
    ["fr-FR", "12.5", "12.5?"],
    // Signs and zeros.
    ["en-GB", "-5", "-5"],
    ["sv-SE", "−5,5", "-5.5"],
    ["en-GB", "-0", "0"],
    ["en-GB", "007", "7"],
    ["en-GB", " 12 ", "12"],
    // Everything else is refused.
    ...REFUSED.flatMap(([locale, texts]) =>
      texts.map((text): [string, string, null] => [locale, text, null]),
    ),
    ["en-GB", "9".repeat(40), "9".repeat(40)],
    ["en-GB", "9".repeat(41), null],
  ])("%s: %s is %s", (locale, text, outcome) => {
    expect(outcomeOf(locale, text)).toBe(outcome);
  });

  it("states the decimal separator of each reading", () => {
    const read = createNumberReader("de-DE");
    expect(["1.250", "1,250", "12.5", "1 250"].map(read)).toEqual([
      { value: "1250", decimal: "," },
      {
        readings: [
          { value: "1.25", decimal: "," },
          { value: "1250", decimal: "." },
        ],
      },
      { readings: [{ value: "12.5", decimal: "." }] },
      { value: "1250", decimal: null },
    ]);
  });

  it("reports the expected and actual notation in the locale's form", () => {
    const messages = [
      ["de-DE", "12 kWh"],
      ["en-IN", ""],
      ["en-GB", "7".repeat(101)],
    ] as const;
    expect(messages.map(([locale, text]) => createNumberReader(locale)(text))).toEqual([
      { message: "expected a number such as 12.000,5, got 12 kWh" },
      { message: "expected a number such as 12,000.5, got nothing" },
      { message: "expected a number such as 12,000.5, got 101 characters" },
    ]);
  });

  const LOCALES = ["de-DE", "en-GB", "en-IN", "de-CH", "fr-FR", "sv-SE", "es-ES", "de-AT", "pt-PT", "pl-PL"];
  it.each(LOCALES)("is read in %s as the number that Intl wrote, or asked about", (locale) => {
    const read = createNumberReader(locale);
    const number = fc.tuple(
      fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
      fc.integer({ min: 0, max: 6 }),
    );
    fc.assert(
      fc.property(
        number,
        fc.integer({ min: 0, max: 6 }),
        fc.boolean(),
        ([digits, decimals], min, useGrouping) => {
          const value = digits / 10 ** decimals;
          const text = new Intl.NumberFormat(locale, {
            minimumFractionDigits: min,
            maximumFractionDigits: 6,
            useGrouping,
          }).format(value);
          const reading = read(text);
          if ("value" in reading) expect(Number(reading.value)).toBe(value);
          else
            expect("readings" in reading && reading.readings.map((it) => Number(it.value))).toContain(value);
        },
      ),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it.each(LOCALES)("keeps each of its digits in %s", (locale) => {
    const read = createNumberReader(locale);
    fc.assert(
      fc.property(fc.stringMatching(/^-?[0-9]{0,4}[., '’][0-9]{0,4}([., ][0-9]{0,4})?$/), (text) => {
        const reading = read(text);
        if (!("value" in reading)) return;
        const digitsOf = (some: string) => some.replace(/\D/g, "").replace(/^0+|0+$/g, "");
        expect(digitsOf(reading.value)).toBe(digitsOf(text));
      }),
      { numRuns: 1_000, seed: 1 },
    );
  });
});
