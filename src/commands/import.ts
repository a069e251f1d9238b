import type { Database, SqlSession } from "../data/database.js";
import {
  arrangeRecords,
  beginImport,
  compareRecords,
  copyLine,
  stageRecords,
  writeRecords,
} from "../data/import-records.js";
import { findOrganizationId, listFacilityIds, lockOrganization } from "../data/organizations.js";
import type { Counts } from "../data/upsert.js";
import { OperatorError } from "../errors.js";
import { type CsvFile, openCsv } from "./csv-blocks.js";
import { createCsvReader } from "./csv-records.js";
import { type Columns, readHeader } from "./import-columns.js";
import type { ImportOptions } from "./import-options.js";
import {
  collectProblems,
  describeProblems,
  MOST_LISTED,
  type Problem,
  type Problems,
  quote,
  UnreadableCsv,
} from "./import-problems.js";
import { type Progress, showProgress } from "./import-progress.js";
import { createRowReader, type RowReader, type Stage } from "./import-rows.js";
import type { Interruption } from "./interruption.js";
import { showable } from "./terminal.js";

/** What an import did, or with `dry_run` would do; the JSON output of the command. */
export interface ImportSummary extends Counts {
  readonly file: string;
  readonly organization: string;
  readonly dry_run: boolean;
  /** Of the file, without its header and empty lines. */
  readonly rows: number;
  /** Blank amounts that were left out. */
  readonly skipped: number;
  readonly facilities_created: number;
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

  constructor(file: string, organization: string, problems: Pick<Problems, "first" | "count">) {
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
      const result = await importInto(sql, path, file, options, progress, signal);
      // What came while an embedded database was at work, which lets nothing else run, is told in the turn after this.
      for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
      signal.throwIfAborted();
      interruption.ignore();
      return result;
    });
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

async function importInto(
  sql: SqlSession,
  path: string,
  file: CsvFile,
  options: ImportOptions,
  progress: Progress,
  signal: AbortSignal,
): Promise<Omit<ImportSummary, "seconds">> {
  const { organization, dryRun } = options;
  const organizationId = await findOrganizationId(sql, organization);
  if (organizationId === undefined) {
    throw new OperatorError(
      `There is no organization ${quote(organization)}. Make it with: organizations create --slug ${organization} --name <name>`,
    );
  }
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
  const count = problems.count + repeated.count;
  if (count > 0) {
    const column = columns.sources.get("reference")?.name ?? "reference";
    const ofReferences = repeated.first.map(({ line, firstLine, reference }) => {
      const expected = `another reference than that of line ${firstLine}`;
      return { line, column, expected, got: quote(reference) };
    });
    const all = [...problems.first, ...ofReferences].toSorted((a, b) => a.line - b.line);
    throw new ImportError(path, organization, { first: all.slice(0, MOST_LISTED), count });
  }
  signal.throwIfAborted();
  progress.step(dryRun ? "Comparing …" : "Writing …");
  const created = [...rows.newFacilities.values()];
  const counts = dryRun
    ? await compareRecords(sql, organizationId)
    : await writeRecords(sql, organizationId, created);
  return {
    file: path,
    organization,
    dry_run: dryRun,
    rows: rows.rows,
    ...counts,
    skipped: rows.skipped,
    facilities_created: created.length,
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
  const csv = createCsvReader(options.delimiter, (fields, line) => {
    if (state.columns === undefined) {
      // Lines before the header that hold nothing are no header.
      if (fields.every((field) => field.trim() === "")) return;
      const columns = readHeader(fields, line, options, problems);
      state.columns = columns;
      const stage: Stage = (id, at, record, facilityId) => {
        lines += copyLine(id, at, record, facilityId);
      };
      state.rows = createRowReader({ organizationId, columns, rules: options, facilities, problems, stage });
      headerIsBad = problems.count > 0;
    } else if (!headerIsBad) state.rows?.read(fields, line);
  });
  try {
    for await (const block of file.blocks(options.skipLines)) {
      await csv.read(block);
      progress.update(block.bytesRead, state.rows?.rows ?? 0);
      if (headerIsBad) return;
      if (lines !== "") yield lines;
      lines = "";
    }
    await csv.end();
    if (lines !== "") yield lines;
    if (state.columns === undefined) problems.add(1, null, "a header", "a file without one");
  } catch (error) {
    if (!(error instanceof UnreadableCsv)) throw error;
    problems.add(error.line, null, error.expected, error.got);
  }
}

/** One line that says what an import did. */
export function describeImport(summary: ImportSummary): string {
  const { file, organization, rows, added, updated, unchanged, skipped, seconds } = summary;
  const counted = [`${added} added`, `${updated} updated`, `${unchanged} already there`];
  const parts = [counted.filter((count) => !count.startsWith("0 ")).join(", ") || "no records"];
  if (added + updated === 0 && unchanged > 0) parts.push("nothing is new");
  if (skipped > 0) parts.push(`${plural(skipped, "blank amount")} skipped`);
  if (summary.facilities_created > 0) parts.push(`${plural(summary.facilities_created, "new facility")}`);
  parts.push(...describeIgnored(summary.ignored_columns));
  const end = summary.dry_run ? "; nothing was changed: this was a dry run" : "";
  return `${file} (${organization}): ${parts.join("; ")} (${plural(rows, "row")} in ${seconds.toFixed(1)} s)${end}`;
}

function describeIgnored(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, 5).map(showable).join(", ") + (names.length > 5 ? ", …" : "");
  return [`${plural(names.length, "column")} ignored: ${shown}`];
}

function plural(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`.replace(/ys$/, "ies")}`;
}
