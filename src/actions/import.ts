import { randomUUID } from "node:crypto";
import type { ImportOptions } from "../commands/import-options.js";
import { type Progress, showProgress } from "../commands/import-progress.js";
import type { Interruption } from "../commands/interruption.js";
import { plural } from "../commands/plural.js";
import { analyze } from "../data/database/analyze.js";
import type { Database, SqlSession } from "../data/database/types.js";
import type { Counts } from "../data/database/upsert.js";
import { completeImport, IMPORTED_TABLES, insertImport } from "../data/imports/imports.js";
import { type StagedSummary, summarizeRecords } from "../data/imports/summary.js";
import {
  arrangeRecords,
  beginImport,
  compareRecords,
  copyLine,
  stageRecords,
  writeRecords,
} from "../data/imports/write-records.js";
import {
  findOrganizationId,
  listFacilityIds,
  lockOrganization,
} from "../data/organizations/organizations.js";
import type { EmissionScope } from "../domain/enums.js";
import { type IsoDate, isoDate } from "../domain/window.js";
import { OperatorError } from "../errors.js";
import { type CsvFile, openCsv } from "../files/csv/blocks.js";
import { type Columns, readHeader } from "../files/csv/columns.js";
import { describeOtherDelimiter, firstLine } from "../files/csv/delimiter.js";
import {
  collectProblems,
  describeProblems,
  MOST_LISTED,
  type Problem,
  type Problems,
  quote,
  UnreadableCsv,
} from "../files/csv/problems.js";
import { createCsvReader } from "../files/csv/records.js";
import { createRowReader, type RowReader, type Stage } from "../files/csv/rows.js";
import { refuseUnknown } from "./organizations.js";

/** What an import did, or with `dry_run` would do; the JSON output of the command. */
export interface ImportSummary extends Counts {
  /** By which it can be taken back; null for a dry run. */
  readonly id: string | null;
  readonly file: string;
  readonly organization: string;
  readonly dry_run: boolean;
  /** Of the file, without its header and empty lines. */
  readonly rows: number;
  /** Blank amounts that were left out. */
  readonly skipped: number;
  /** Rows with an amount that was rounded to 6 decimals. */
  readonly rounded: number;
  /** Exact decimals: of all records of the file, whether they are new or not. */
  readonly co2e_tonnes: StagedSummary["tonnes"];
  readonly first_day: IsoDate | null;
  readonly last_day: IsoDate | null;
  /** Records dated after today; the figures count them from their day on. */
  readonly dated_ahead: number;
  /** Facilities that the file names. */
  readonly facilities: number;
  readonly facilities_created: number;
  /** The five largest records. */
  readonly largest: readonly {
    readonly line: number;
    readonly recorded_on: IsoDate;
    readonly scope: EmissionScope;
    readonly co2e_tonnes: string;
    /** Its code. */
    readonly facility: string | null;
  }[];
  readonly ignored_columns: readonly string[];
  readonly seconds: number;
}

/** A file of which nothing was imported, for its problems. */
export class ImportError extends OperatorError {
  readonly report: {
    readonly file: string;
    readonly organization: string;
    readonly problem_count: number;
    /** The first 100. */
    readonly problems: readonly Problem[];
  };

  constructor(file: string, organization: string, problems: Problems) {
    const count = problems.count === 1 ? "a problem" : `${problems.count} problems`;
    super(`${file} has ${count}; nothing of it was imported:\n${describeProblems(problems)}`);
    this.name = "ImportError";
    this.report = { file, organization, problem_count: problems.count, problems: problems.first };
  }
}

interface ReadState {
  columns: Columns | undefined;
  rows: RowReader | undefined;
}

/**
 * Imports a CSV file of emission records in one transaction, all or nothing. Throws ImportError with every problem of
 * the file, and what `interruption` says when the user stops it.
 */
export async function importFile(
  database: Database,
  path: string,
  options: ImportOptions,
  now: Date,
  interruption: Interruption,
  terminal: NodeJS.WriteStream,
): Promise<ImportSummary> {
  const { signal } = interruption;
  signal.throwIfAborted();
  const start = performance.now();
  const file = await openCsv(path, signal);
  const progress = showProgress(terminal, file.size);
  signal.addEventListener("abort", progress.stop);
  try {
    const summary = await database.transaction(async (sql) => {
      await lockOrganization(sql, options.organization);
      const result = await importInto(sql, { path, file, options, now, progress, signal });
      // What came while an embedded database was at work, which lets nothing else run, is told in the turn after this.
      for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
      signal.throwIfAborted();
      interruption.ignore();
      return result;
    });
    if (summary.added + summary.updated > 0 && !summary.dry_run) {
      await analyze(database, IMPORTED_TABLES);
    }
    return { ...summary, seconds: Math.round(performance.now() - start) / 1_000 };
  } catch (error) {
    // What a reader or a server says of being stopped is of no use.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", progress.stop);
    progress.stop();
    await file.close();
  }
}

interface Importing {
  readonly path: string;
  readonly file: CsvFile;
  readonly options: ImportOptions;
  readonly now: Date;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

async function importInto(
  sql: SqlSession,
  { path, file, options, now, progress, signal }: Importing,
): Promise<Omit<ImportSummary, "seconds">> {
  const { organization, dryRun } = options;
  const organizationId = await findOrganizationId(sql, organization);
  if (organizationId === undefined) refuseUnknown(organization);
  await beginImport(sql);
  const problems = collectProblems();
  const facilities = await listFacilityIds(sql, organizationId);
  const state: ReadState = { columns: undefined, rows: undefined };
  await stageRecords(
    sql,
    readLines({ file, options, organizationId, facilities, problems, progress, state }),
  );
  const { columns, rows } = state;
  if (columns === undefined || rows === undefined) throw new ImportError(path, organization, problems);

  signal.throwIfAborted();
  progress.step(`Sorting ${plural(rows.rows, "row")} …`);
  const repeated = await arrangeRecords(sql, MOST_LISTED);
  const column = columns.sources.get("reference")?.name ?? "reference";
  const ofReferences = repeated.first.map(({ line, firstLine: earlier, reference }) => {
    const expected = "a reference that no other row has";
    return { line, column, expected, got: `${quote(reference)}, as in line ${earlier}` };
  });
  problems.addAll(ofReferences, repeated.count);
  if (problems.count > 0) throw new ImportError(path, organization, problems);
  signal.throwIfAborted();
  progress.step(dryRun ? "Comparing …" : "Writing …");
  const created = [...rows.newFacilities.values()];
  const { records, tonnes, largest, ...summary } = await summarizeRecords(sql, isoDate(now));
  const withRest = (counts: { added: number; updated: number }) => ({
    ...counts,
    unchanged: records - counts.added - counts.updated,
  });
  const write = async (): Promise<Counts & { id: string }> => {
    const id = randomUUID();
    await insertImport(sql, organizationId, { id, file: path, now });
    const counts = withRest(await writeRecords(sql, organizationId, id, created));
    await completeImport(sql, organizationId, id, { ...counts, facilitiesCreated: created.length });
    return { id, ...counts };
  };
  const done = dryRun ? { id: null, ...withRest(await compareRecords(sql, organizationId)) } : await write();
  const codes = new Map(
    [...facilities, ...created.map(({ code, id }) => [code, id] as const)].map(([code, id]) => [id, code]),
  );
  return {
    id: done.id,
    file: path,
    organization,
    dry_run: dryRun,
    rows: rows.rows,
    ...{ added: done.added, updated: done.updated, unchanged: done.unchanged },
    skipped: rows.skipped,
    rounded: rows.rounded,
    co2e_tonnes: tonnes,
    first_day: summary.firstDay,
    last_day: summary.lastDay,
    dated_ahead: summary.ahead,
    facilities: summary.facilities,
    facilities_created: created.length,
    largest: largest.map(({ line, recordedOn, scope, co2eTonnes, facilityId }) => ({
      line,
      recorded_on: recordedOn,
      scope,
      co2e_tonnes: co2eTonnes,
      facility: facilityId === null ? null : (codes.get(facilityId) ?? null),
    })),
    ignored_columns: rows.ignored,
  };
}

interface Reading {
  readonly file: CsvFile;
  readonly options: ImportOptions;
  readonly organizationId: string;
  readonly facilities: ReadonlyMap<string, string>;
  readonly problems: Problems;
  readonly progress: Progress;
  readonly state: ReadState;
}

/** Reads the file to its end and yields its records as lines for COPY, a block at a time; fills `state`. */
async function* readLines(reading: Reading): AsyncGenerator<string> {
  const { file, options, organizationId, facilities, problems, progress, state } = reading;
  let lines = "";
  let headerIsBad = false;
  let otherDelimiter: string | undefined;
  const addOtherDelimiter = (line: number, looks: string) =>
    problems.add(line, null, `columns separated by ${JSON.stringify(options.delimiter)}`, looks);
  const csv = createCsvReader(options.delimiter, (fields, line) => {
    if (state.columns === undefined) {
      // Lines before the header that hold nothing are no header.
      if (fields.every((field) => field.trim() === "")) return;
      const ofHeader = collectProblems();
      const columns = readHeader(fields, line, options, ofHeader);
      if (ofHeader.count > 0 && otherDelimiter !== undefined) addOtherDelimiter(line, otherDelimiter);
      else problems.addAll(ofHeader.first, ofHeader.count);
      state.columns = columns;
      const stage: Stage = (at, record, facilityId) => {
        lines += copyLine(organizationId, at, record, facilityId);
      };
      state.rows = createRowReader({ columns, rules: options, facilities, problems, stage });
      headerIsBad = problems.count > 0;
    } else if (!headerIsBad) state.rows?.read(fields, line);
  });
  try {
    for await (const block of file.blocks(options.skipLines)) {
      otherDelimiter ??= describeOtherDelimiter(firstLine(block.text), options.delimiter);
      await csv.read(block);
      progress.update(block.bytesRead, state.rows?.rows ?? 0);
      if (headerIsBad) return;
      if (lines !== "") yield lines;
      lines = "";
    }
    await csv.end();
    if (lines !== "") yield lines;
    if (state.columns === undefined) problems.add(1, null, "a header", "a file without one");
    state.rows?.end();
  } catch (error) {
    if (!(error instanceof UnreadableCsv)) throw error;
    // A header with quotes around its names is not even CSV with the wrong delimiter.
    if (state.columns === undefined && otherDelimiter !== undefined)
      addOtherDelimiter(error.line, otherDelimiter);
    else problems.add(error.line, null, error.expected, error.got);
  }
}
