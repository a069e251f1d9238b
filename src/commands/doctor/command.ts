import type { Command } from "commander";
import { jsonOption } from "../options.js";
import type { Runner } from "../runner.js";
import { describeExamination, examine } from "./doctor.js";

/** Adds `doctor`. */
export function addDoctorCommand(program: Command, { environment, clock, report }: Runner): void {
  program
    .command("doctor")
    .description("check configuration and dependencies, and suggest fixes; changes nothing")
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const examination = await examine(environment, clock);
      report(examination, json, describeExamination(examination));
      if (examination.failures > 0) process.exitCode = 1;
    });
}
