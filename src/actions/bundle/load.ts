import {
  BundleError,
  type LoadSummary,
  listUnknownFacilities,
  loadBundle,
} from "../../data/bundle/load-bundle.js";
import { write } from "../../data/database/transaction.js";
import type { Database, SqlSession } from "../../data/database/types.js";
import { analyze } from "../../data/database/upkeep/analyze.js";
import { lockOrganization } from "../../data/organizations/organizations.js";
import type { Bundle } from "../../domain/bundle.js";
import { OperatorError } from "../../errors.js";
import { readBundle } from "../../files/bundle/bundle.js";
import { readTextFile } from "../../files/open-file.js";

/** Result of loading one bundle. */
export interface LoadedFile {
  readonly file: string;
  /** Slug of the bundle's organization; null for reference data, which all organizations share. */
  readonly organization: string | null;
  /** Row counts of the bundle's sections. */
  readonly sections: LoadSummary;
}

/** An invalid bundle. Each problem is a line that starts with the path of the value. */
export class BundleFileError extends Error {
  readonly problems: readonly string[];

  constructor(file: string, problems: readonly string[]) {
    super(`${file} has ${problems.length} problems`);
    this.name = "BundleFileError";
    this.problems = problems;
  }
}

/**
 * A load with at least one failed file; nothing was loaded. The cause is the last failure. A database failure ends the
 * load early, with the remaining files unread.
 */
export class LoadError extends Error {
  /** By file: BundleFileError, OperatorError for a file that cannot be read, or a failure of the database. */
  readonly failures: ReadonlyMap<string, unknown>;
  readonly files: readonly string[];

  constructor(failures: ReadonlyMap<string, unknown>, files: readonly string[]) {
    super("No file was loaded", { cause: [...failures.values()].at(-1) });
    this.name = "LoadError";
    this.failures = failures;
    this.files = files;
  }
}

/** Reading a larger bundle would need several times its size in memory. */
const MAX_MEGABYTES = 256;

/** Tables to analyze after a section has added or updated rows, which outdates their statistics. */
const TABLES: Readonly<Record<keyof LoadSummary, readonly string[]>> = {
  organization: [],
  facilities: ["facilities"],
  emission_records: ["emission_records", "emission_days"],
  frameworks: ["compliance_statuses"],
  deadlines: ["compliance_deadlines"],
  credit_batches: ["credit_batches", "credit_sales"],
  retirements: ["credit_retirements"],
  market_prices: ["market_prices"],
  benchmarks: ["benchmarks"],
};

/**
 * Lock key that cannot be a slug. Loads of several files wait for each other, because each may lock several
 * organizations.
 */
const MULTI_FILE_LOCK = "*";

/**
 * Loads all bundles or none, in the given order and in one transaction. Throws LoadError with the problems of every
 * file.
 */
export async function loadFiles(
  database: Database,
  files: readonly string[],
  now: Date,
): Promise<LoadedFile[]> {
  const loaded = await write(database, "load", async (sql) => {
    if (files.length > 1) await lockOrganization(sql, MULTI_FILE_LOCK);
    const done: LoadedFile[] = [];
    const failures = new Map<string, unknown>();
    for (const file of files) {
      try {
        done.push(await loadInto(sql, file, await readBundleFile(file), now));
      } catch (error) {
        failures.set(file, error);
        // A database failure has ended the transaction.
        if (!isFileProblem(error)) break;
      }
    }
    if (failures.size > 0) throw new LoadError(failures, files);
    return done;
  });
  const tables = loaded.flatMap(listWrittenTables);
  if (tables.length > 0) await analyze(database, [...new Set(tables)]);
  return loaded;
}

/** Loads the text of one bundle. Throws BundleFileError with all of its problems. */
export function loadText(database: Database, file: string, json: string, now: Date): Promise<LoadedFile> {
  return write(database, "load", (sql) => loadInto(sql, file, json, now));
}

/** Returns true if the error is the file's own, so that the next file can be tried. */
export function isFileProblem(error: unknown): error is BundleFileError | OperatorError {
  return error instanceof BundleFileError || error instanceof OperatorError;
}

function readBundleFile(file: string): Promise<string> {
  const tooLarge = new OperatorError(
    `${file} is larger than ${MAX_MEGABYTES} MB. Split it, or import its emission records from a CSV file of any size.`,
  );
  return readTextFile(file, MAX_MEGABYTES * 2 ** 20, tooLarge);
}

async function loadInto(sql: SqlSession, file: string, json: string, now: Date): Promise<LoadedFile> {
  const { bundle, problems } = readBundle(json);
  try {
    const sections = await loadParsed(sql, bundle, problems, now);
    return { file, organization: bundle.organization?.slug ?? null, sections };
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    throw new BundleFileError(file, error.problems);
  }
}

async function loadParsed(sql: SqlSession, bundle: Bundle, problems: readonly string[], now: Date) {
  if (problems.length === 0) return loadBundle(sql, bundle, now);
  throw new BundleError([...problems, ...(await listUnknownFacilities(sql, bundle))]);
}

function listWrittenTables({ sections }: LoadedFile): string[] {
  return Object.entries(sections).flatMap(([section, { added, updated }]) =>
    added + updated > 0 ? TABLES[section as keyof LoadSummary] : [],
  );
}
