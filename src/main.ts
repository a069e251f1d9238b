import { Command, CommanderError } from "commander";
import { describeFailure } from "./commands/describe-failure.js";
import { describeExamination, examine } from "./commands/doctor.js";
import { describeImport, ImportError, importFile } from "./commands/import.js";
import { addImportOptions, type RawImportOptions, readImportOptions } from "./commands/import-options.js";
import { watchInterruption } from "./commands/interruption.js";
import { addKeyCommands } from "./commands/key-commands.js";
import { LoadError, loadFiles } from "./commands/load.js";
import { jsonOption, organizationOption, readWorkers } from "./commands/options.js";
import { addOrganizationCommands } from "./commands/organization-commands.js";
import { createRunner } from "./commands/runner.js";
import { serve } from "./commands/serve.js";
import { showableLines } from "./commands/terminal.js";
import { describeVerification, verify } from "./commands/verify.js";
import { serveWithWorkers } from "./commands/workers.js";
import { readConfig } from "./config.js";
import { migrate } from "./data/migrations.js";
import { OperatorError } from "./errors.js";
import { MIGRATIONS_FOLDER } from "./paths.js";

const clock = () => new Date();
const runner = createRunner(process.env, clock);
const { withDatabase, withSchema, report, say, print } = runner;

const program = new Command("gateway")
  .description("A GraphQL gateway for carbon accounting, with a thin REST facade")
  .exitOverride()
  .configureOutput({
    writeOut: (text) => process.stdout.write(text),
    writeErr: (text) => process.stderr.write(showableLines(text)),
  });

program
  .command("serve")
  .description("serve both surfaces; an embedded database is created, migrated and filled with sample data")
  .option("--workers <n>", "processes that share the port, on PostgreSQL and Redis", readWorkers, 1)
  .action(({ workers }: { workers: number }) => {
    const config = readConfig(process.env);
    return workers === 1 ? serve(config, clock, print) : serveWithWorkers(workers, config);
  });

program
  .command("migrate")
  .description("bring the database's schema up to date")
  .addOption(jsonOption())
  .action(async ({ json }: { json?: boolean }) => {
    const applied = await withDatabase((database) => migrate(database, MIGRATIONS_FOLDER));
    report({ applied }, json, applied.length === 0 ? "Nothing to apply." : `Applied ${applied.join(", ")}.`);
  });

program
  .command("load")
  .description("load bundles: JSON files, each all or nothing")
  .argument("<file...>", "bundles")
  .addOption(jsonOption())
  .action(async (files: string[], { json }: { json?: boolean }) => {
    try {
      const results = await withSchema(({ database, now }) => loadFiles(database, files, now, say));
      if (json) print(JSON.stringify(results));
    } catch (error) {
      if (error instanceof LoadError && json) print(JSON.stringify(error.report));
      throw error;
    }
  });

addImportOptions(
  program
    .command("import")
    .description("import emission records from a CSV file of any size, all or nothing")
    .argument("<file.csv>", "the file")
    .addOption(organizationOption())
    .addOption(jsonOption()),
).action(async (file: string, raw: RawImportOptions) => {
  const options = readImportOptions(raw);
  const interruption = watchInterruption(({ message }) => say(message));
  try {
    const summary = await withSchema(({ database }) =>
      importFile(database, file, options, interruption, process.stderr),
    );
    report(summary, raw.json, describeImport(summary));
  } catch (error) {
    if (error instanceof ImportError && raw.json) print(JSON.stringify(error.report));
    throw error;
  } finally {
    interruption.end();
  }
});

program
  .command("verify")
  .description("compare the sums that the database keeps of the emission records with the records")
  .option("--repair", "put right what differs")
  .addOption(jsonOption())
  .action(async ({ repair = false, json }: { repair?: boolean; json?: boolean }) => {
    const result = await withSchema(({ database }) => verify(database, repair));
    report(result, json, describeVerification(result));
    if (result.differences > 0 && !repair) process.exitCode = 1;
  });

program
  .command("doctor")
  .description("examine what serving needs, and say what is wrong and how to mend it; changes nothing")
  .addOption(jsonOption())
  .action(async ({ json }: { json?: boolean }) => {
    const examination = await examine(process.env, clock);
    report(examination, json, describeExamination(examination));
    if (examination.failures > 0) process.exitCode = 1;
  });

addKeyCommands(program, runner);
addOrganizationCommands(program, runner);

/** 0 for help, 2 for bad usage, 1 for everything else that fails. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof OperatorError) {
    say(error.message);
    return error.exitCode;
  }
  say(describeFailure(error, process.env));
  return 1;
}

try {
  // Not commander's default command: that would take a misspelt command for an argument of `serve`.
  await program.parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, "serve"]);
} catch (error) {
  // At once: what had been opened before, such as a connection to Redis, would keep the process alive.
  process.exit(exitCodeOf(error));
}
