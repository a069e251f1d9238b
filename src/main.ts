import { Command, CommanderError } from "commander";
import { ImportError, importFile } from "./actions/import.js";
import { LoadError, loadFiles } from "./actions/load.js";
import { describeVerification, isWrong, verify } from "./actions/verify.js";
import { describeFailure } from "./commands/describe-failure.js";
import { describeImport } from "./commands/describe-import.js";
import { describeExamination, examine } from "./commands/doctor/doctor.js";
import { addImportCommands } from "./commands/import-commands.js";
import { addImportOptions, type RawImportOptions, readImportOptions } from "./commands/import-options.js";
import { watchInterruption } from "./commands/interruption.js";
import { addKeyCommands } from "./commands/key-commands.js";
import { describeOption, example, jsonOption, organizationOption, readWorkers } from "./commands/options.js";
import { addOrganizationCommands } from "./commands/organization-commands.js";
import { createRunner } from "./commands/runner.js";
import { serve } from "./commands/serve.js";
import { showableLines } from "./commands/terminal.js";
import { serveWithWorkers } from "./commands/workers.js";
import { readConfig } from "./config.js";
import { migrate } from "./data/database/migrations.js";
import { OperatorError } from "./errors.js";
import { MIGRATIONS_FOLDER, readVersion } from "./paths.js";

const clock = () => new Date();
const runner = createRunner(process.env, clock);
const { withDatabase, withSchema, report, say, print } = runner;

const program = new Command("gateway")
  .description("A GraphQL gateway for carbon accounting, with a thin REST facade")
  // So that what comes after a command's name is that command's, for `import` and its subcommands too.
  .enablePositionalOptions()
  .version(readVersion(), "-V, --version", "print the version")
  .exitOverride()
  .configureHelp({ optionDescription: describeOption })
  .configureOutput({
    writeOut: (text) => process.stdout.write(text),
    writeErr: (text) => process.stderr.write(showableLines(text)),
  })
  .hook("preAction", (_, command) => {
    const { json, quiet } = command.opts();
    if (json || quiet) runner.beQuiet();
  })
  .addHelpText("after", example("help keys create"));

program
  .command("serve")
  .description(
    "serve REST and GraphQL; an embedded database is created, migrated and filled with sample data",
  )
  .option(
    "--workers <n>",
    "number of processes that share the port; needs PostgreSQL and Redis",
    readWorkers,
    1,
  )
  .addHelpText("after", example("serve --workers 4"))
  .action(({ workers }: { workers: number }) => {
    const config = readConfig(process.env);
    return workers === 1 ? serve(config, clock, print) : serveWithWorkers(workers, config);
  });

program
  .command("migrate")
  .description("create the tables, or bring them up to date")
  .addOption(jsonOption())
  .action(async ({ json }: { json?: boolean }) => {
    const applied = await withDatabase((database) => migrate(database, MIGRATIONS_FOLDER), {
      mayCreate: true,
    });
    report({ applied }, json, applied.length === 0 ? "Nothing to apply." : `Applied ${applied.join(", ")}.`);
  });

program
  .command("load")
  .description("load bundles (JSON files), all or nothing: when one has a problem, none is loaded")
  .argument("<file...>", "bundles")
  .addOption(jsonOption())
  .addHelpText("after", example("load acme.json"))
  .action(async (files: string[], { json }: { json?: boolean }) => {
    try {
      const results = await withSchema(
        ({ database, now }) => loadFiles(database, files, now, json ? say : print),
        { mayCreate: true },
      );
      if (json) print(JSON.stringify(results));
    } catch (error) {
      if (error instanceof LoadError && json) print(JSON.stringify(error.report));
      throw error;
    }
  });

const importCommand = addImportOptions(
  program
    .command("import")
    .description(
      "import emission records from a CSV file of any size, as a whole or not at all; take an import back",
    )
    .argument("<file.csv>", "the file")
    // Its subcommands would need it, too, if it were mandatory for commander.
    .addOption(organizationOption(" (required)").makeOptionMandatory(false))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      example("import records.csv --organization acme --map co2e_tonnes=Total --dry-run"),
    ),
).action(async (file: string, raw: RawImportOptions) => {
  if (raw.organization === undefined) {
    importCommand.error("error: required option '--organization <slug>' not specified");
  }
  const options = readImportOptions(raw, clock());
  const interruption = watchInterruption(({ message }) => say(message));
  try {
    const summary = await withSchema(({ database, now }) =>
      importFile(database, file, options, now, interruption, process.stderr),
    );
    report(summary, raw.json, describeImport(summary));
  } catch (error) {
    if (error instanceof ImportError && raw.json) print(JSON.stringify(error.report));
    throw error;
  } finally {
    interruption.end();
  }
});

addImportCommands(importCommand, runner);

program
  .command("verify")
  .description("check the stored totals and balances against the records, sales and retirements")
  .option("--repair", "correct what differs, and have gateways read everything again")
  .addOption(jsonOption())
  .action(async ({ repair = false, json }: { repair?: boolean; json?: boolean }) => {
    const result = await withSchema(({ database }) => verify(database, repair));
    report(result, json, describeVerification(result));
    if (isWrong(result)) process.exitCode = 1;
  });

program
  .command("doctor")
  .description("check configuration and dependencies, and suggest fixes; changes nothing")
  .addOption(jsonOption())
  .action(async ({ json }: { json?: boolean }) => {
    const examination = await examine(process.env, clock);
    report(examination, json, describeExamination(examination));
    if (examination.failures > 0) process.exitCode = 1;
  });

addKeyCommands(program, runner);
addOrganizationCommands(program, runner);

/** 0 for help that was asked for, 2 for bad usage, 1 for everything else that fails. */
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
  await program.parseAsync();
} catch (error) {
  // At once: what had been opened before, such as a connection to Redis, would keep the process alive.
  process.exit(exitCodeOf(error));
}
