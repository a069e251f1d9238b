import type { Command } from "commander";
import { readConfig } from "../../config.js";
import { example, readWorkers } from "../options.js";
import type { Runner } from "../runner.js";
import { serve } from "./serve.js";
import { serveWithWorkers } from "./workers.js";

/** Adds `serve`. */
export function addServeCommand(program: Command, { environment, clock, print }: Runner): void {
  program
    .command("serve")
    .description(
      "serve REST and GraphQL; creates an embedded database with sample data if DATABASE_URL is unset",
    )
    .option(
      "--workers <n>",
      "number of processes that share the port; needs PostgreSQL and Redis",
      readWorkers,
      1,
    )
    .addHelpText("after", example("serve --workers 4"))
    .action(({ workers }: { workers: number }) => {
      const config = readConfig(environment);
      return workers === 1 ? serve(config, clock, print) : serveWithWorkers(workers, config);
    });
}
