import type { Command } from "commander";
import { loadFactors } from "../actions/factors/load-factors.js";
import { countOf } from "../domain/texts/count-of.js";
import { REFERENCE_FOLDER } from "../paths.js";
import { jsonOption } from "./options.js";
import type { Runner } from "./runner.js";

/** Adds `load-factors`. */
export function addLoadFactorsCommand(program: Command, { withSchema, report }: Runner): void {
  program
    .command("load-factors")
    .description("load the emission factors that come with the gateway; keeps figures already loaded")
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const counts = await withSchema(({ database }) => loadFactors(database, REFERENCE_FOLDER));
      report(
        counts,
        json,
        `${countOf(counts.added, "emission factor")} added, ${counts.updated} completed, ${counts.unchanged} unchanged`,
      );
    });
}
