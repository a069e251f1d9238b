import fc from "fast-check";
import { anyText, type Bytes, utf8 } from "./bytes.js";

/** The intended content of a row. */
export interface CsvRow {
  readonly recordedOn: string;
  readonly scope: "scope_1" | "scope_2" | "scope_3";
  /** Millionths of a tonne. */
  readonly amount: bigint;
  readonly category: string;
  readonly source: string;
}

/** The format of a file, with its command line options. */
export interface CsvStyle {
  readonly delimiter: string;
  readonly lineEnd: string;
  readonly mark: boolean;
  readonly quoteAll: boolean;
  readonly decimalComma: boolean;
  readonly exponent: boolean;
  readonly lastLineEnds: boolean;
  readonly emptyColumns: number;
  readonly linesBefore: number;
}

/** A fault of a file. The refusal must name `line`. */
export interface Fault {
  readonly name: string;
  /** Puts the fault into a row's cells. */
  readonly spoil: (cells: readonly string[]) => readonly string[];
}

/** Returns the storable part of a string, cut to fit into an index. */
const storable = (text: string) => text.replaceAll(/[\0\ufeff]|\p{Surrogate}/gu, "").trim();
const plainText = anyText.map(storable);
const key = anyText.map((text) => storable(text.slice(0, 100)));

export const rows: fc.Arbitrary<readonly CsvRow[]> = fc.array(
  fc.record<CsvRow>({
    recordedOn: fc.constantFrom("2026-11-20", "2024-02-29", "1000-01-01", "2999-12-31", "1999-12-31"),
    scope: fc.constantFrom("scope_1", "scope_2", "scope_3"),
    amount: fc.oneof(fc.bigInt(0n, 10n ** 7n), fc.bigInt(0n, 10n ** 24n - 1n)),
    category: key,
    source: plainText,
  }),
  { minLength: 1, maxLength: 8 },
);

export const style: fc.Arbitrary<CsvStyle> = fc.record({
  delimiter: fc.constantFrom(",", ";", "\t", "|"),
  lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
  mark: fc.boolean(),
  quoteAll: fc.boolean(),
  decimalComma: fc.boolean(),
  exponent: fc.boolean(),
  lastLineEnds: fc.boolean(),
  emptyColumns: fc.constantFrom(0, 0, 1, 3),
  linesBefore: fc.constantFrom(0, 0, 2),
});

const put = (index: number, text: string) => (cells: readonly string[]) => cells.with(index, text);
const FAULTS: readonly Fault[] = [
  ...["2025-02-30", "20.11.2026", "0000-01-01", "2026-13-01", "+275760-09-13", "tomorrow", "", "26"].map(
    (text) => ({
      name: `the date ${text}`,
      spoil: put(0, text),
    }),
  ),
  ...["scope_4", "Scope 4", "0", "", "scope_1,scope_2", "__proto__"].map((text) => ({
    name: `the scope ${text}`,
    spoil: put(1, text),
  })),
  ...[
    "-1",
    "1e400",
    "1e18",
    "0.0000001",
    "NaN",
    "Infinity",
    "0x10",
    "1_000",
    "",
    "1 000",
    "--1",
    "1e",
    "٣",
    "1.2.3",
  ].map((text) => ({
    name: `the amount ${text}`,
    spoil: put(2, text),
  })),
  { name: "NUL in a category", spoil: put(3, "a\0b") },
  { name: "a category of 201 characters", spoil: put(3, "é".repeat(201)) },
  { name: "NUL in a source", spoil: put(4, "\0") },
  { name: "too few cells", spoil: (cells) => cells.slice(0, 1) },
  { name: "a cell too many", spoil: (cells) => [...cells, "", "", "", "x"] },
  { name: "900 cells too many", spoil: (cells) => [...cells, ...Array<string>(900).fill("x")] },
];
export const fault: fc.Arbitrary<Fault> = fc.constantFrom(...FAULTS);

/** Headers and rows that are too large, at which reading the file stops. */
export const excess: fc.Arbitrary<Fault> = fc.constantFrom(
  { name: "1,001 cells", spoil: (cells) => [...cells, ...Array<string>(1_001 - cells.length).fill("")] },
  { name: "50,000 cells", spoil: (cells) => [...cells, ...Array<string>(50_000).fill("")] },
  { name: "a cell of 300,000 characters", spoil: (cells) => ["x".repeat(300_000), ...cells] },
  { name: "a cell of 300,000 lines", spoil: (cells) => ['\n"'.repeat(300_000), ...cells] },
);
const HEADER = ["recorded_on", "scope", "co2e_tonnes", "category", "source"];
const RAGGED_BYTES = 64 << 10;

/** Files of 64 kB with quotes, whose rows have too few or too many fields. */
export const ragged: fc.Arbitrary<Bytes> = fc
  .tuple(
    fc.constantFrom(HEADER.join().replace("source", '"source"'), '"a"', 'a,"b",c'),
    fc.array(fc.constantFrom("", '""', '"",', "x", '"x","","",""', '"a ""b""",1', '"a\nb"', ",".repeat(50)), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.constantFrom("\n", "\r\n", "\r"),
  )
  .map(([header, rows, lineEnd]) => {
    const some = rows.join(lineEnd) + lineEnd;
    return header + lineEnd + some.repeat(Math.ceil(RAGGED_BYTES / some.length));
  });

/** Row number of the header. */
export const HEADER_ROW = -1;

/** Formats an exact amount in a style. */
function writeAmount(amount: bigint, { decimalComma, exponent }: CsvStyle): string {
  if (exponent) return `${amount}e-6`;
  const digits = String(amount).padStart(7, "0");
  return `${digits.slice(0, -6)}${decimalComma ? "," : "."}${digits.slice(-6)}`;
}

const cellsOf = (row: CsvRow, how: CsvStyle) => [
  row.recordedOn,
  row.scope,
  writeAmount(row.amount, how),
  row.category,
  row.source,
];

export interface CsvFile {
  readonly bytes: Bytes;
  /** Number of the first line of each row. */
  readonly lines: readonly number[];
  readonly options: readonly string[];
}

/** Writes a file; `spoilt` maps rows to faults. */
export function writeCsv(
  all: readonly CsvRow[],
  how: CsvStyle,
  spoilt: ReadonlyMap<number, Fault> = new Map(),
): CsvFile {
  const { delimiter, lineEnd, mark, quoteAll, lastLineEnds, emptyColumns, linesBefore } = how;
  const cell = (text: string) =>
    quoteAll || text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const line = (cells: readonly string[]) =>
    [...cells, ...Array<string>(emptyColumns).fill("")].map(cell).join(delimiter);
  const records = [
    ...Array<string>(linesBefore).fill("about this file"),
    line(spoilt.get(HEADER_ROW)?.spoil(HEADER) ?? HEADER),
    ...all.map((row, index) => line(spoilt.get(index)?.spoil(cellsOf(row, how)) ?? cellsOf(row, how))),
  ];
  let at = 1;
  const starts = records.map((record) => {
    const start = at;
    at += 1 + (record.match(/\r\n|\n|\r/g)?.length ?? 0);
    return start;
  });
  const text = records.join(lineEnd) + (lastLineEnds ? lineEnd : "");
  return {
    bytes: (mark ? "\xef\xbb\xbf" : "") + utf8(text),
    lines: starts.slice(linesBefore + 1),
    options: [
      // The sums of random amounts are not meant to match.
      "--keep-totals",
      ...(delimiter === "," ? [] : ["--delimiter", delimiter === "\t" ? "\\t" : delimiter]),
      ...(how.decimalComma ? ["--decimal-comma"] : []),
      ...(linesBefore === 0 ? [] : ["--skip-lines", String(linesBefore)]),
    ],
  };
}
