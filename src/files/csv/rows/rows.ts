import { FILE_TEXT_NAMES, type FileText } from "../../../domain/emissions/record-parts.js";
import type { NewFacility, RecordContent } from "../../../domain/emissions/records.js";
import type { Columns } from "../fields.js";
import type { RowRules } from "../options.js";
import { type Problems, quote } from "../problems.js";
import { mayContain } from "../values/amounts.js";
import { readRecordedOn } from "../values/dates.js";
import { createAmountReader } from "./amounts.js";
import { createFacilityFinder } from "./facilities.js";
import { createOtherUnitFinder, type OtherUnits } from "./other-units.js";
import { remember } from "./remember.js";
import { createRow } from "./row.js";

/** Turns the rows of one file into records. */
export interface RowReader {
  /** Reads one row: its records go to `onRecord`, its problems to `problems`. */
  read(cells: readonly string[], line: number): void;
  /** Adds the problems that only the whole file can show. */
  end(): void;
  readonly newFacilities: ReadonlyMap<string, NewFacility>;
  /** Rows so far, without empty lines. */
  readonly rows: number;
  /** Blank amounts that were skipped. */
  readonly skipped: number;
  /** Rows with an amount that was rounded. */
  readonly rounded: number;
  /** Columns with a name or a value that were not read. */
  readonly ignored: readonly string[];
  /** Rows whose unit is no mass of CO2e; undefined if the file says nothing of the kind. */
  readonly otherUnits: OtherUnits | undefined;
}

/** Takes a valid record, the line it comes from, and the id of its facility. */
export type OnRecord = (line: number, record: RecordContent, facilityId: string | undefined) => void;

interface RowReaderOptions {
  readonly columns: Columns;
  readonly rules: RowRules;
  /** Ids of the organization's facilities by code. */
  readonly facilities: ReadonlyMap<string, string>;
  readonly problems: Problems;
  readonly onRecord: OnRecord;
}

/** Makes a reader for the rows below a header. */
export function createRowReader({
  columns,
  rules,
  facilities,
  problems,
  onRecord,
}: RowReaderOptions): RowReader {
  const row = createRow(columns, rules.blank, problems);
  const amountReader = createAmountReader(columns, rules, problems);
  const finder = createFacilityFinder(facilities, rules);
  const otherUnits = createOtherUnitFinder(columns);
  const width = createWidthCheck(columns, rules, problems);
  // An option gives a date in ISO 8601, whatever the file's format.
  const isDateSet = "value" in (columns.sources.get("recorded_on") ?? {});
  const readDate = remember((text) =>
    readRecordedOn(text, isDateSet ? { ...rules, dateFormat: undefined } : rules),
  );
  let rows = 0;

  return {
    newFacilities: finder.created,
    get rows() {
      return rows;
    },
    get skipped() {
      return amountReader.skipped;
    },
    get rounded() {
      return amountReader.rounded;
    },
    get ignored() {
      const unread = columns.named.filter(({ readAs }) => readAs === null);
      return [...unread.map(({ name }) => name), ...width.listUnnamed()];
    },
    get otherUnits() {
      return otherUnits.find();
    },
    end: () => amountReader.refuseTotals(),
    read(cells, line) {
      if (isEmptyLine(cells)) return;
      rows += 1;
      const problemsBefore = problems.count;
      if (!width.fits(cells, line)) return;
      row.next(cells, line);
      const amounts = amountReader.read(row);
      if (amounts === null) return;
      const day = row.textOf("recorded_on");
      const date = readDate(day);
      if ("expected" in date) row.refuse("recorded_on", date.expected, quote(day), date.suggestions);
      const facility = row.readText("facility");
      const facilityId = facility === undefined ? undefined : finder.find(row, facility);
      const texts: Partial<Record<FileText, string | undefined>> = {};
      for (const name of FILE_TEXT_NAMES) texts[name] = row.readText(name);
      const reference = row.readText("reference");
      if (problems.count > problemsBefore || "expected" in date) return;
      otherUnits.see(cells, line);
      for (const { scope, co2e_tonnes } of amounts) {
        const record = { reference, recorded_on: date.day, scope, co2e_tonnes, facility, ...texts };
        onRecord(line, record, facilityId);
      }
    },
  };
}

/** Checks that rows have as many fields as the header. Empty fields at the end of a row do not count. */
function createWidthCheck(columns: Columns, rules: RowRules, problems: Problems) {
  const unnamed = new Set<number>();
  // A field too many may be the end of an amount that was cut.
  const most = mayContain(rules, rules.delimiter) ? columns.count : columns.width;
  return {
    /** Whether a row fits; adds a problem if not. */
    fits(cells: readonly string[], line: number): boolean {
      const last = cells.length > columns.count ? cells.findLastIndex((cell) => cell.trim() !== "") : -1;
      if (cells.length < columns.count || last >= most) {
        const expected = cells.length < columns.count ? columns.count : most;
        problems.add(line, null, `${expected} fields, as the header has`, String(cells.length));
        return false;
      }
      for (let index = columns.count; index <= last; index += 1) {
        if (cells[index]?.trim() !== "") unnamed.add(index);
      }
      return true;
    },
    /** The columns without a name that had values, as `#7`. */
    listUnnamed: () => [...unnamed].sort((a, b) => a - b).map((index) => `#${index + 1}`),
  };
}

/** Whether a line has no text; spreadsheets write the delimiters of an empty line. */
export function isEmptyLine(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}
