// `npm run bench -- [name] [options]`: each benchmark is a file beside this one, and prints its figures as a table.
import { pages } from "./pages.js";
import { scale } from "./scale.js";
import { throughput } from "./throughput.js";

const BENCHMARKS: Record<string, (options: readonly string[]) => Promise<void>> = {
  throughput,
  scale,
  pages,
};

const args = process.argv.slice(2);
const name = args[0] === undefined || args[0].startsWith("--") ? "throughput" : args.shift();
const run = BENCHMARKS[name ?? ""];
if (!run) {
  process.stderr.write(`Name a benchmark: ${Object.keys(BENCHMARKS).join(", ")}.\n`);
  process.exit(2);
}
await run(args);
