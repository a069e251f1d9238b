import { readFile } from "node:fs/promises";
import { type Bundle, BundleError, type LoadSummary } from "../data/bundle.js";
import type { Database } from "../data/database.js";
import { listUnknownFacilities, loadBundle } from "../data/load-bundle.js";
import { OperatorError } from "../errors.js";
import { readBundle } from "./bundle.js";
import { describeFailure } from "./describe-failure.js";

/** What one file brought; the JSON output of the command is a list of these. */
export interface LoadedFile {
  readonly file: string;
  /** Slug of the bundle's organization; null for reference data of the platform. */
  readonly organization: string | null;
  /** Rows of each section that the file has. */
  readonly sections: LoadSummary;
}

class BundleFileError extends OperatorError {
  readonly problems: readonly string[];

  constructor(file: string, problems: readonly string[]) {
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    super(`${file} has ${count}; nothing of it was loaded:\n${problems.join("\n")}`);
    this.problems = problems;
  }
}

/** A file of which nothing was loaded, for its problems or a failure, and what became of the others. */
export class LoadError extends OperatorError {
  readonly report: {
    readonly loaded: readonly LoadedFile[];
    readonly failed: { readonly file: string; readonly problems: readonly string[] };
    readonly not_loaded: readonly string[];
  };

  constructor(cause: unknown, file: string, loaded: readonly LoadedFile[], left: readonly string[]) {
    const message = cause instanceof OperatorError ? cause.message : describeFailure(cause, {});
    super(left.length === 0 ? message : `${message}\nNot loaded either: ${left.join(", ")}`);
    this.name = "LoadError";
    this.cause = cause;
    const problems = cause instanceof BundleFileError ? cause.problems : [message];
    this.report = { loaded, failed: { file, problems }, not_loaded: left };
  }
}

async function readUtf8(file: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new OperatorError(`${file} ${code === "ENOENT" ? "does not exist" : `cannot be read: ${code}`}.`);
  }
  try {
    // A byte order mark is left in, so that reading the bundle can say what is wrong.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new OperatorError(`${file} is not valid UTF-8.`);
  }
}

async function loadRead(database: Database, bundle: Bundle, problems: readonly string[], now: Date) {
  if (problems.length === 0) return loadBundle(database, bundle, now);
  const unknown = await database.transaction((sql) => listUnknownFacilities(sql, bundle));
  throw new BundleError([...problems, ...unknown]);
}

/** Loads a bundle's text. Throws an OperatorError that lists every problem, when nothing of it is loaded. */
export async function loadText(
  database: Database,
  file: string,
  json: string,
  now: Date,
): Promise<LoadedFile> {
  const { bundle, problems } = readBundle(json);
  try {
    const sections = await loadRead(database, bundle, problems, now);
    return { file, organization: bundle.organization?.slug ?? null, sections };
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    throw new BundleFileError(file, error.problems);
  }
}

function describe({ file, organization, sections }: LoadedFile): string {
  const parts = Object.entries(sections).map(([name, { added, updated, unchanged }]) => {
    const counts = [`${added} added`, `${updated} updated`, `${unchanged} already there`];
    return `${name} ${counts.filter((count) => !count.startsWith("0 ")).join(", ")}`;
  });
  const owner = organization === null ? "reference data" : organization;
  return `${file} (${owner}): ${parts.join("; ") || "nothing to load"}`;
}

/**
 * Loads bundles, each all or nothing, in the order given; `print` gets a line of counts for each. The first that cannot
 * be read or loaded ends it with a LoadError that lists all its problems, and the files that were left.
 */
export async function loadFiles(
  database: Database,
  files: readonly string[],
  now: Date,
  print: (line: string) => void,
): Promise<LoadedFile[]> {
  const loaded: LoadedFile[] = [];
  for (const [index, file] of files.entries()) {
    try {
      const result = await loadText(database, file, await readUtf8(file), now);
      print(describe(result));
      loaded.push(result);
    } catch (error) {
      throw new LoadError(error, file, loaded, files.slice(index + 1));
    }
  }
  return loaded;
}
