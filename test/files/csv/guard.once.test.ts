import fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import { EXPORT_COLUMNS } from "../../../src/domain/emissions/export-columns.js";
import { guard, withoutGuard } from "../../../src/domain/texts/guard.js";
import { writeCsv } from "../../../src/files/records/csv.js";

/** Strings of characters that CSV and spreadsheets treat specially, and of some others. */
const texts = fc.string({
  unit: fc.constantFrom(
    "'",
    '"',
    "=",
    "+",
    "-",
    "@",
    "＝",
    "＋",
    "－",
    "＠",
    "\t",
    "\r",
    "\n",
    ",",
    ";",
    " ",
    "a",
    "1",
    "é",
    "\u{1f4a7}",
  ),
  maxLength: 8,
});
const FORMULA = /^["\s]*[=+\-@＝＋－＠]/;

describe("the guard of exported text", () => {
  it("is removed exactly for 10,000 strings through a file, and leaves nothing that reads as a formula", async () => {
    const given = fc.sample(texts, 10_000).filter((text) => text !== "");
    async function* batches() {
      yield given.map((text) => ["2026-01-01", "scope_1", "1.000000", "A", text, null, null]);
    }
    const chunks = [];
    const options = { bom: false, guard, metadata: () => ({}) };
    for await (const chunk of writeCsv(batches(), EXPORT_COLUMNS.import, options)) chunks.push(chunk);
    const file = Buffer.concat(chunks).toString();
    const { data, errors } = Papa.parse<Record<string, string>>(file.trimEnd(), {
      header: true,
      newline: "\n",
    });
    const cells = data.map(({ category = "" }) => category);
    expect(errors).toEqual([]);
    expect(cells.filter((cell) => FORMULA.test(cell))).toEqual([]);
    expect(cells.map(withoutGuard)).toEqual(given);
    // Some spreadsheets split at semicolons and ignore quotes within the text between them.
    expect(file.split(/[;\t\r\n]/).filter((piece) => FORMULA.test(piece))).toEqual([]);
  });

  it("is not removed from text without one", () => {
    fc.assert(
      fc.property(texts, (text) => {
        if (!/(^|[;\t\r\n])["\s]*'+[=+\-@\t\r\n＝＋－＠]/.test(text)) expect(withoutGuard(text)).toBe(text);
      }),
      { numRuns: 10_000 },
    );
  });
});
