import type { Command } from "commander";
import { ImportError, UnresolvedActivities } from "../../actions/imports/import-error.js";
import { importRecords } from "../../actions/imports/import-records.js";
import type { ImportProgress } from "../../actions/imports/import-request.js";
import type { ImportSummary } from "../../actions/imports/summary.js";
import { ConfirmationRequired } from "../../actions/questions/confirmation.js";
import type { Database } from "../../data/database/types.js";
import { countOf } from "../../domain/texts/count-of.js";
import { OperatorError } from "../../errors.js";
import { openFile } from "../../files/open-file.js";
import { example, jsonOption, organizationOption } from "../options.js";
import { toJson } from "../output/json.js";
import type { Runner } from "../runner.js";
import { describeActivities, describeUnresolved } from "./describe-activities.js";
import { describeExpected, describeProblems } from "./describe-problems.js";
import { describeQuestions } from "./describe-questions.js";
import { describeImport } from "./describe-summary.js";
import { addListCommand, addUndoCommand } from "./imports.js";
import { type Interruption, watchInterruption } from "./interruption.js";
import {
  addImportOptions,
  type ImportCommandOptions,
  type RawImportOptions,
  readImportOptions,
} from "./options.js";
import { type ProgressDisplay, showProgress } from "./progress.js";

/** Adds `import <file>`, and `import list | undo`. A file named `undo` can be imported as `./undo`. */
export function addImportCommand(program: Command, runner: Runner): void {
  const { withSchema, clock, say, print, report } = runner;
  const command = addImportOptions(
    program
      .command("import")
      .description(
        "import emission records (tonnes or activities) from a CSV file of any size, all or nothing; list or undo imports",
      )
      .argument("<file.csv>", "the CSV file")
      // Commander would also require it for the subcommands, so the action checks it.
      .addOption(organizationOption(" (required)").makeOptionMandatory(false))
      .addOption(jsonOption())
      .addHelpText(
        "after",
        example(
          "import records.csv --organization acme --map co2e_tonnes=Total --dry-run",
          "import meters.csv --organization acme --map amount=Menge --map unit=Einheit --map activity=Energieart --locale de-DE",
        ),
      ),
  ).action(async (file: string, raw: RawImportOptions) => {
    if (raw.organization === undefined) {
      command.error("error: required option '--organization <slug>' not specified");
    }
    const options = readImportOptions(raw, clock());
    const interruption = watchInterruption(({ message }) => say(message));
    try {
      const summary = await withSchema(({ database, now }) =>
        importFile(database, file, options, { now, interruption, terminal: process.stderr }),
      );
      const activities = summary.activities ? `\n${describeActivities(summary.activities)}` : "";
      report(summary, raw.json, describeImport(summary) + activities);
    } catch (error) {
      const { organization } = options;
      if (error instanceof ConfirmationRequired) {
        const { questions } = error;
        if (raw.json) print(toJson({ file, organization, questions }));
        throw new OperatorError(`${file} was not imported:\n${describeQuestions(questions)}`);
      }
      if (error instanceof UnresolvedActivities) {
        const { activities } = error;
        if (raw.json) print(toJson({ file, organization, activities }));
        throw new OperatorError(`${file}: ${error.message}\n${describeUnresolved(activities)}`);
      }
      if (!(error instanceof ImportError)) throw error;
      if (raw.json) print(toJson(reportProblems(file, organization, error)));
      const count = countOf(error.problems.count, "problem");
      throw new OperatorError(
        `${file} has ${count}; nothing was imported:\n${describeProblems(error.problems)}`,
      );
    } finally {
      interruption.end();
    }
  });
  command.enablePositionalOptions();
  addListCommand(command, runner);
  addUndoCommand(command, runner);
}

interface ImportContext {
  readonly now: Date;
  readonly interruption: Interruption;
  readonly terminal: NodeJS.WriteStream;
}

/** Imports a file, showing the progress on the terminal. Throws the errors of `openFile` and `importRecords`. */
export async function importFile(
  database: Database,
  path: string,
  { organization, dryRun, skipErrors, accept, ...options }: ImportCommandOptions,
  { now, interruption, terminal }: ImportContext,
): Promise<ImportSummary & { readonly seconds: number }> {
  const { signal } = interruption;
  signal.throwIfAborted();
  const start = performance.now();
  const file = await openFile(path, signal);
  const display = showProgress(terminal, file.size);
  signal.addEventListener("abort", display.stop);
  try {
    const summary = await importRecords(database, {
      writer: "import",
      organization,
      file: path,
      chunks: file.chunks,
      options,
      dryRun,
      skipsErrors: skipErrors,
      accept,
      now,
      signal,
      onProgress: (progress) => {
        if (progress.step === "committing") interruption.ignore();
        show(display, progress);
      },
    });
    return { ...summary, seconds: Math.round(performance.now() - start) / 1_000 };
  } finally {
    signal.removeEventListener("abort", display.stop);
    display.stop();
    await file.close();
  }
}

function show(display: ProgressDisplay, progress: ImportProgress): void {
  if (progress.step === "reading") display.update(progress.bytesRead, progress.rows);
  else if (progress.step === "sorting") display.step(`Sorting ${countOf(progress.rows, "row")} …`);
  else if (progress.step === "comparing") display.step("Comparing …");
  else if (progress.step === "writing") display.step("Writing …");
}

/** Returns the number of problems and the first 100, for --json. */
function reportProblems(file: string, organization: string, { problems }: ImportError) {
  return {
    file,
    organization,
    problemCount: problems.count,
    problems: problems.first.map((problem) => {
      const { line, column, got } = problem;
      return { line, column, expected: describeExpected(problem), got };
    }),
  };
}
