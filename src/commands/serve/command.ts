import type { Command } from "commander";
import { readConfig } from "../../config.js";
import { example, readWorkers } from "../options.js";
import type { Runner } from "../runner.js";

/** Adds `serve`. */
export function addServeCommand(program: Command, { environment, clock, print }: Runner): void {
  program
    .command("serve")
    .description(
      "serve the REST and GraphQL APIs; without DATABASE_URL, creates an embedded database with sample data",
    )
    .option(
      "--workers <n>",
      "number of processes that share the port; needs PostgreSQL and Redis",
      readWorkers,
      1,
    )
    .addHelpText("after", example("serve --workers 4"))
    .action(async ({ workers }: { workers: number }) => {
      const config = readConfig(environment);
      // Imported here, because without the server the other commands start in half the time.
      if (workers === 1) await (await import("./serve.js")).serve(config, clock, print);
      else await (await import("./workers.js")).serveWithWorkers(workers, config);
    });
}
