// `npm run bench -- <name> [options]`: each benchmark is a file beside this one, and prints its figures as a table.
import { scale } from "./scale.js";

const BENCHMARKS: Record<string, (options: readonly string[]) => Promise<void>> = { scale };

const [name = "", ...options] = process.argv.slice(2);
const run = BENCHMARKS[name];
if (!run) {
  process.stderr.write(`Name a benchmark: ${Object.keys(BENCHMARKS).join(", ")}.\n`);
  process.exit(2);
}
await run(options);
