import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { ImportError } from "../../src/actions/imports/import-error.js";
import type { ImportSummary } from "../../src/actions/imports/summary.js";
import { describeProblems } from "../../src/commands/import/describe-problems.js";
import { importFile } from "../../src/commands/import/import.js";
import type { Interruption } from "../../src/commands/import/interruption.js";
import {
  addImportOptions,
  type RawImportOptions,
  readImportOptions,
} from "../../src/commands/import/options.js";
import type { Database } from "../../src/data/database/types.js";
import { NOW } from "./server.js";
import { words } from "./words.js";

export const HEADER = "recorded_on,scope,co2e_tonnes,facility,category,source,reference";

/** Writes a CSV file into a folder; returns its path. */
export async function saveCsv(folder: string, content: string | Uint8Array): Promise<string> {
  const file = join(folder, `${randomUUID()}.csv`);
  await writeFile(file, content);
  return file;
}

const noTerminal = { isTTY: false } as NodeJS.WriteStream;
const never: Interruption = {
  signal: new AbortController().signal,
  ignore: () => undefined,
  end: () => undefined,
};

/** Runs `import` with the options of a command line, or with their words. */
export async function importCsv(
  database: Database,
  file: string,
  organization: string,
  args: string | readonly string[] = "",
  interruption = never,
): Promise<Omit<ImportSummary, "file">> {
  const command = addImportOptions(new Command().exitOverride().option("--organization <slug>"));
  command.configureOutput({ writeErr: () => undefined });
  command.parse(["--organization", organization, ...(typeof args === "string" ? words(args) : args)], {
    from: "user",
  });
  const options = readImportOptions(command.opts<RawImportOptions>(), NOW);
  const surroundings = { now: NOW, interruption, terminal: noTerminal };
  const { file: _, seconds: __, ...summary } = await importFile(database, file, options, surroundings);
  return summary;
}

/** Returns the problems that stop the import of a file, one per line. */
export async function importProblems(
  database: Database,
  file: string,
  organization: string,
  args: string | readonly string[] = "",
): Promise<string[]> {
  const error = await importCsv(database, file, organization, args).then(
    (summary) => new Error(`it was imported: ${JSON.stringify(summary)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ImportError)) throw error;
  return describeProblems(error.problems).split("\n");
}
