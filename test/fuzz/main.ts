// `npm run fuzz -- --cases 100000 --seed N --only http,graphql`: sends random input to the gateway, and prints the outcomes.
import { parseArgs } from "node:util";
import { startVitest } from "vitest/node";
import { SHARES } from "./shares.js";

const { values } = parseArgs({
  options: { cases: { type: "string" }, seed: { type: "string" }, only: { type: "string" } },
});
const cases = Number(values.cases ?? 100_000);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const targets = values.only?.split(",") ?? Object.keys(SHARES);
const unknown = targets.find((target) => !Object.hasOwn(SHARES, target));
if (unknown !== undefined || !(cases >= 1) || !Number.isInteger(seed)) {
  process.stderr.write(
    `Usage: npm run fuzz -- [--cases <number>] [--seed <number>] [--only ${Object.keys(SHARES).join(",")}]\n`,
  );
  process.exit(2);
}

const vitest = await startVitest(
  "test",
  targets.map((target) => `test/fuzz/${target}.`),
  { config: ".config/vitest.ts", watch: false, provide: { fuzz: { seed, cases } } },
);
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
const reports = tests.flatMap((test) => test.meta().fuzz ?? []);
process.stdout.write(
  `\nSeed ${seed}; the same cases again: npm run fuzz -- --cases ${cases} --seed ${seed}\n`,
);
for (const { target, cases: count, seconds, outcomes } of reports) {
  const counted = Object.entries(outcomes).map(([outcome, times]) => `${outcome}: ${times}`);
  process.stdout.write(
    `${target.padEnd(8)} ${count} cases in ${seconds.toFixed(1)} s; ${counted.join(", ")}\n`,
  );
}
await vitest.close();
