// `npm run bench -- [name] [options]`: each benchmark is a file in this folder, and prints its figures as a table.
import { existsSync } from "node:fs";

type Benchmark = (options: readonly string[]) => Promise<void>;

const BENCHMARKS: Record<string, () => Promise<Benchmark>> = {
  throughput: async () => (await import("./throughput.js")).throughput,
  scale: async () => (await import("./scale.js")).scale,
  commits: async () => (await import("./commits.js")).commits,
  imports: async () => (await import("./import.js")).imports,
  organizations: async () => (await import("./organizations/organizations.js")).organizations,
  pages: async () => (await import("./pages.js")).pages,
};

if (!existsSync(new URL("node_modules", import.meta.url))) {
  process.stderr.write("The benchmarks' own packages are not installed. Run: npm --prefix test/bench ci\n");
  process.exit(2);
}
const args = process.argv.slice(2);
const name = args[0] === undefined || args[0].startsWith("--") ? "throughput" : args.shift();
const load = BENCHMARKS[name ?? ""];
if (!load) {
  process.stderr.write(`Name a benchmark: ${Object.keys(BENCHMARKS).join(", ")}.\n`);
  process.exit(2);
}
const run = await load();
await run(args);
