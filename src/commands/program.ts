import { Command } from "commander";
import { describeVersion } from "../paths.js";
import { addAuditCommands } from "./audit.js";
import { addCopyFromCommand } from "./copy-from.js";
import { addDoctorCommand } from "./doctor/command.js";
import { addDomainCommands } from "./domains.js";
import { addExportCommand } from "./export.js";
import { describeExit } from "./failures.js";
import { addImportCommand } from "./import/import.js";
import { addKeyCommands } from "./keys/keys.js";
import { addLoadCommand } from "./load.js";
import { addLoadFactorsCommand } from "./load-factors.js";
import { addMappingCommands } from "./mappings.js";
import { addMigrateCommand } from "./migrate.js";
import { describeOption, example } from "./options.js";
import { addOrganizationCommands } from "./organizations.js";
import { printableLines } from "./output/terminal.js";
import { createRunner } from "./runner.js";
import { addServeCommand } from "./serve/command.js";
import { addServiceAccountCommands } from "./service-accounts/service-accounts.js";
import { addSsoCommands } from "./sso.js";
import { addToolCommands } from "./tool/command.js";
import { addUserCommands } from "./users.js";
import { addVerifyCommand } from "./verify.js";

/** Runs the command given by the process's arguments. Exits the process if the command fails. */
export async function runProgram(environment: NodeJS.ProcessEnv, clock: () => Date): Promise<void> {
  const runner = createRunner(environment, clock);
  const program = new Command("gateway")
    .description("A GraphQL gateway for carbon accounting, with a thin REST facade")
    // Options after a command's name belong to that command. `import` and its subcommands need this.
    .enablePositionalOptions()
    .version(describeVersion(), "-V, --version", "print the version")
    .exitOverride()
    .configureHelp({ optionDescription: describeOption })
    .configureOutput({
      writeOut: (text) => process.stdout.write(text),
      writeErr: (text) => process.stderr.write(printableLines(text)),
    })
    .hook("preAction", (_, command) => {
      const { json, quiet } = command.opts();
      if (json || quiet) runner.hideLocation();
    })
    .addHelpText("after", example("help keys create"));

  addServeCommand(program, runner);
  addMigrateCommand(program, runner);
  addCopyFromCommand(program, runner);
  addLoadCommand(program, runner);
  addLoadFactorsCommand(program, runner);
  addImportCommand(program, runner);
  addExportCommand(program, runner);
  addMappingCommands(program, runner);
  addVerifyCommand(program, runner);
  addDoctorCommand(program, runner);
  addKeyCommands(program, runner);
  addServiceAccountCommands(program, runner);
  addOrganizationCommands(program, runner);
  addUserCommands(program, runner);
  addSsoCommands(program, runner);
  addDomainCommands(program, runner);
  addAuditCommands(program, runner);
  addToolCommands(program, runner);

  try {
    await program.parseAsync();
  } catch (error) {
    const { code, message } = describeExit(error, environment);
    if (message !== null) runner.say(message);
    // Open connections, such as one to Redis, would keep the process alive.
    process.exit(code);
  }
}
