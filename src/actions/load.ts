import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { describeFailure } from "../commands/describe-failure.js";
import { plural } from "../commands/plural.js";
import {
  BundleError,
  type LoadSummary,
  listUnknownFacilities,
  loadBundle,
} from "../data/bundle/load-bundle.js";
import { analyze } from "../data/database/analyze.js";
import type { Database, SqlSession } from "../data/database/types.js";
import { lockOrganization } from "../data/organizations/organizations.js";
import type { Bundle } from "../domain/bundle.js";
import { OperatorError } from "../errors.js";
import { readBundle } from "../files/bundle/bundle.js";

/** What one file brought; the JSON output of the command is a list of these. */
export interface LoadedFile {
  readonly file: string;
  /** Slug of the bundle's organization; null for reference data of the platform. */
  readonly organization: string | null;
  /** Rows of each section that the file has. */
  readonly sections: LoadSummary;
}

/** A file that cannot be loaded, and why. */
class BundleFileError extends OperatorError {
  readonly problems: readonly string[];

  constructor(file: string, problems: readonly string[]) {
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    super(`${file} has ${count}; nothing of it was loaded:\n${problems.join("\n")}`);
    this.problems = problems;
  }
}

/** The files for which nothing was loaded, for their problems or a failure, and the others. */
export class LoadError extends OperatorError {
  readonly report: {
    readonly failed: readonly { readonly file: string; readonly problems: readonly string[] }[];
    readonly not_loaded: readonly string[];
  };

  constructor(failures: ReadonlyMap<string, unknown>, files: readonly string[]) {
    const failed = [...failures].map(([file, cause]) => {
      const message = cause instanceof OperatorError ? cause.message : describeFailure(cause, {});
      return { file, message, problems: cause instanceof BundleFileError ? cause.problems : [message] };
    });
    const none = files.length === 1 ? [] : [`None of the ${files.length} files was loaded.`];
    super([...failed.map(({ message }) => message), ...none].join("\n"));
    this.name = "LoadError";
    // A failure of the database is the last: it ends the transaction.
    this.cause = [...failures.values()].at(-1);
    this.report = {
      failed: failed.map(({ file, problems }) => ({ file, problems })),
      not_loaded: files.filter((file) => !failures.has(file)),
    };
  }
}

/** A larger text would hardly fit into memory when it is read: its rows take several times as much. */
const MOST_MEGABYTES = 256;
const MOST_BYTES = MOST_MEGABYTES * 2 ** 20;

async function readUtf8(file: string): Promise<string> {
  const tooLarge = new OperatorError(
    `${file} is larger than ${MOST_MEGABYTES} MB. Split it, or import its emission records from a CSV file, which may have any size.`,
  );
  const parts: Buffer[] = [];
  try {
    if ((await stat(file)).size > MOST_BYTES) throw tooLarge;
    let length = 0;
    // A pipe does not say how much will come.
    for await (const part of createReadStream(file) as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length > MOST_BYTES) throw tooLarge;
    }
  } catch (error) {
    if (error === tooLarge) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    throw new OperatorError(`${file} ${code === "ENOENT" ? "does not exist" : `cannot be read: ${code}`}.`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new OperatorError(`${file} is not valid UTF-8.`);
  }
}

async function loadRead(sql: SqlSession, bundle: Bundle, problems: readonly string[], now: Date) {
  if (problems.length === 0) return loadBundle(sql, bundle, now);
  throw new BundleError([...problems, ...(await listUnknownFacilities(sql, bundle))]);
}

async function loadInto(sql: SqlSession, file: string, json: string, now: Date): Promise<LoadedFile> {
  const { bundle, problems } = readBundle(json);
  try {
    const sections = await loadRead(sql, bundle, problems, now);
    return { file, organization: bundle.organization?.slug ?? null, sections };
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    throw new BundleFileError(file, error.problems);
  }
}

/** Loads a bundle's text. Throws an OperatorError that lists every problem, when nothing of it is loaded. */
export function loadText(database: Database, file: string, json: string, now: Date): Promise<LoadedFile> {
  return database.transaction((sql) => loadInto(sql, file, json, now));
}

/** What a row of each section is called, and the tables that it is written to. */
const SECTIONS: Readonly<Record<keyof LoadSummary, readonly [noun: string, ...tables: string[]]>> = {
  organization: ["organization"],
  facilities: ["facility", "facilities"],
  emission_records: ["emission record", "emission_records", "emission_days"],
  frameworks: ["framework", "compliance_statuses"],
  deadlines: ["deadline", "compliance_deadlines"],
  credit_batches: ["credit batch", "credit_batches", "credit_sales"],
  retirements: ["retirement", "credit_retirements"],
  market_prices: ["market price", "market_prices"],
  benchmarks: ["benchmark", "benchmarks"],
};
const sectionsOf = ({ sections }: LoadedFile) =>
  Object.entries(sections).map(([name, counts]) => {
    const [noun, ...tables] = SECTIONS[name as keyof LoadSummary];
    return { noun, tables, ...counts };
  });

function describe(loaded: LoadedFile): string {
  const parts = sectionsOf(loaded).map(({ noun, added, updated, unchanged }) => {
    const counts = Object.entries({ added, updated, unchanged }).filter(([, count]) => count > 0);
    return counts
      .map(([done, count], index) => `${index === 0 ? plural(count, noun) : count} ${done}`)
      .join(", ");
  });
  const owner = loaded.organization ?? "reference data";
  return `${loaded.file} (${owner}): ${parts.join("; ") || "nothing to load"}`;
}

/** No organization's slug: loads of several files wait for each other, as each holds several organizations. */
const SEVERAL = "*";

/**
 * Loads bundles in the order given and in one transaction, all or nothing; then `print` gets a line of counts for each.
 * When any cannot be loaded, none is: throws LoadError with every problem of every file.
 */
export async function loadFiles(
  database: Database,
  files: readonly string[],
  now: Date,
  print: (line: string) => void,
): Promise<LoadedFile[]> {
  const loaded = await database.transaction(async (sql) => {
    if (files.length > 1) await lockOrganization(sql, SEVERAL);
    const done: LoadedFile[] = [];
    const failures = new Map<string, unknown>();
    for (const file of files) {
      try {
        done.push(await loadInto(sql, file, await readUtf8(file), now));
      } catch (error) {
        failures.set(file, error);
        if (!(error instanceof OperatorError)) break;
      }
    }
    if (failures.size > 0) throw new LoadError(failures, files);
    return done;
  });
  for (const one of loaded) print(describe(one));
  const written = loaded
    .flatMap(sectionsOf)
    .flatMap(({ added, updated, tables }) => (added + updated > 0 ? tables : []));
  if (written.length > 0) await analyze(database, [...new Set(written)]);
  return loaded;
}
