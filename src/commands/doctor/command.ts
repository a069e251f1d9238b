import type { Command } from "commander";
import { jsonOption } from "../options.js";
import type { Runner } from "../runner.js";

/** Adds `doctor`. */
export function addDoctorCommand(program: Command, { environment, clock, report }: Runner): void {
  program
    .command("doctor")
    .description("check the configuration and dependencies, and suggest fixes; changes nothing")
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      // Imported here, because without the schema the other commands start in half the time.
      const { describeExamination, examine } = await import("./doctor.js");
      const examination = await examine(environment, clock);
      report(examination, json, describeExamination(examination));
      if (examination.failures > 0) process.exitCode = 1;
    });
}
