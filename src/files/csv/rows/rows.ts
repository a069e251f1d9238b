import { FILE_TEXT_NAMES, type FileText } from "../../../domain/emissions/record-parts.js";
import type { NewFacility, RecordContent } from "../../../domain/emissions/records.js";
import { type Columns, type Field, hasActivities, SCOPE_FIELDS } from "../fields.js";
import type { RowRules } from "../options.js";
import { type Problems, quote } from "../problems.js";
import { mayContain } from "../values/amounts.js";
import { readRecordedOn } from "../values/dates.js";
import { createColumnNumbers } from "../values/numbers.js";
import { type ActivityAmount, kindOfRow, readActivity } from "./activities.js";
import { createAmountReader } from "./amounts.js";
import {
  createDistinctActivities,
  type DistinctActivity,
  type FacilityPlace,
} from "./distinct-activities.js";
import { createFacilityFinder } from "./facilities.js";
import { createOtherUnitFinder, type OtherUnits } from "./other-units.js";
import { copyOf, remember } from "./remember.js";
import { createRow } from "./row.js";

/** Turns the rows of one file into records. */
export interface RowReader {
  /** Reads one row: its records go to `onRecord`, its problems to `problems`. */
  read(cells: readonly string[], line: number): void;
  /** Adds the problems that only the whole file can show. */
  end(): void;
  readonly newFacilities: ReadonlyMap<string, NewFacility>;
  /** The different activities of its rows. */
  readonly activities: readonly DistinctActivity[];
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

/** A record whose tonnes follow from its activity. */
export type ActivityRecord = Omit<RecordContent, "scope" | "co2e_tonnes"> & ActivityAmount;

/** Takes a valid record of an activity, as OnRecord does one in tonnes. */
export type OnActivity = (line: number, record: ActivityRecord, facilityId: string | undefined) => void;

/** A facility that the organization has. */
export interface KnownFacility {
  readonly id: string;
  readonly country: string | null;
}

interface RowReaderOptions {
  readonly columns: Columns;
  readonly rules: RowRules;
  /** The organization's facilities by code. */
  readonly facilities: ReadonlyMap<string, KnownFacility>;
  readonly problems: Problems;
  readonly onRecord: OnRecord;
  readonly onActivity: OnActivity;
}

/** Rows with numbers that can be read in two ways, which wait for another that settles them. */
const MOST_WAITING = 10_000;

/** Makes a reader for the rows below a header. */
export function createRowReader({
  columns,
  rules,
  facilities,
  problems,
  onRecord,
  onActivity,
}: RowReaderOptions): RowReader {
  const row = createRow(columns, rules.blank, problems);
  const numbers = rules.locale === undefined ? undefined : createColumnNumbers(rules.locale);
  const amountReader = createAmountReader(columns, rules, problems, numbers);
  const isMixed = hasActivities(columns);
  const distinct = createDistinctActivities();
  const numberFields = (["co2e_tonnes", "amount", ...SCOPE_FIELDS] as const).filter((field) =>
    columns.sources.has(field),
  );
  let waiting: { readonly cells: readonly string[]; readonly line: number }[] = [];
  const finder = createFacilityFinder(facilities, rules);
  const otherUnits = createOtherUnitFinder(columns);
  const width = createWidthCheck(columns, rules, problems);
  // An option gives a date in ISO 8601, whatever the file's format.
  const isDateSet = "value" in (columns.sources.get("recorded_on") ?? {});
  const readDate = remember((text) =>
    readRecordedOn(text, isDateSet ? { ...rules, dateFormat: undefined } : rules),
  );
  let rows = 0;

  const placeOf = (code: string | undefined): FacilityPlace | undefined => {
    if (code === undefined) return undefined;
    const known = facilities.get(code);
    if (known) return { country: known.country };
    const country = finder.created.get(code)?.country;
    return country === undefined ? { created: code } : { country };
  };

  /** Returns true if the numbers of the row can be read now. */
  const settles = (line: number): boolean =>
    numbers === undefined ||
    numberFields.map((field: Field) => numbers.settles(field, row.textOf(field), line)).every(Boolean);

  const readRow = (cells: readonly string[]) => {
    const { line } = row;
    const problemsBefore = problems.count;
    const kind = isMixed ? kindOfRow(row) : "tonnes";
    if (kind === "both") {
      row.refuse("amount", "nothing beside co2e_tonnes", quote(row.textOf("amount")));
      return;
    }
    const amounts = kind === "activity" ? [] : amountReader.read(row);
    if (amounts === null) return;
    const day = row.textOf("recorded_on");
    const date = readDate(day);
    if ("expected" in date) row.refuse("recorded_on", date.expected, quote(day), date.suggestions);
    const facility = row.readText("facility");
    const facilityId = facility === undefined ? undefined : finder.find(row, facility);
    const activity =
      kind === "activity" ? readActivity(row, placeOf(facility), distinct, rules, numbers) : undefined;
    const texts: Partial<Record<FileText, string | undefined>> = {};
    for (const name of FILE_TEXT_NAMES) texts[name] = row.readText(name);
    const reference = row.readText("reference");
    if (problems.count > problemsBefore || "expected" in date) return;
    if (kind === "tonnes") otherUnits.see(cells, line);
    const content = { reference, recorded_on: date.day, facility, ...texts };
    if (activity) {
      distinct.count(activity.index, line, Number(date.day.slice(0, 4)));
      onActivity(line, { ...content, ...activity }, facilityId);
    }
    for (const amount of amounts) onRecord(line, { ...content, ...amount }, facilityId);
  };

  /** Reads the rows that wait and can be read, or all of them. */
  const readWaiting = (all: boolean) => {
    const rest = waiting;
    waiting = [];
    for (const { cells, line } of rest) {
      row.next(cells, line);
      if (all || settles(line)) readRow(cells);
      else waiting.push({ cells, line });
    }
  };

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
    end() {
      readWaiting(true);
      amountReader.refuseTotals();
    },
    activities: distinct.list,
    read(cells, line) {
      if (isEmptyLine(cells)) return;
      rows += 1;
      if (!width.fits(cells, line)) return;
      row.next(cells, line);
      if (settles(line) || waiting.length === MOST_WAITING) readRow(cells);
      else waiting.push({ cells: cells.map(copyOf), line });
      const [first] = waiting;
      if (first === undefined) return;
      row.next(first.cells, first.line);
      if (settles(first.line)) readWaiting(false);
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
