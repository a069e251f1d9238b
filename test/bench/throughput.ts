import { parseArgs } from "node:util";
import { type Bench, withBench } from "./bench.js";
import { changes } from "./cases/changes.js";
import { compression } from "./cases/compression.js";
import { graphql } from "./cases/graphql.js";
import { inserts } from "./cases/inserts.js";
import { inventories } from "./cases/inventories.js";
import { latency } from "./cases/latency.js";
import { mcp } from "./cases/mcp.js";
import { memory } from "./cases/memory.js";
import { people } from "./cases/people.js";
import { records } from "./cases/records.js";
import { rest } from "./cases/rest.js";
import { start } from "./cases/start.js";
import { workers } from "./cases/workers.js";
import { areApart, moveLoad } from "./cores.js";
import { describeMachine, printHeading, printRow, type Row, readLoadBefore, writeResults } from "./report.js";

const CASES: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  start,
  rest,
  compression,
  changes,
  inserts,
  inventories,
  graphql,
  latency,
  workers,
  people,
  records,
  mcp,
  // Last, because it leaves many tenants in the database.
  memory,
};

/**
 * Compares the built gateway with other servers on the same data: throughput, and CPU time (user and system) of the
 * server's process per request; medians of ratios of rounds in turns. Load and server have a core each if the machine has
 * two and `taskset`. A complete run writes results/throughput.json. Linux only. Options: `--only rest,changes`,
 * `--seconds 4` and `--rounds 5` of load, `--samples 200` of first calls.
 */
export async function throughput(args: readonly string[]): Promise<void> {
  const { only, ...options } = readOptions(args);
  const run = only ?? Object.keys(CASES);
  const loadBefore = readLoadBefore();
  moveLoad();
  const rows: Row[] = [];
  const report = (...more: Row[]) => {
    rows.push(...more);
    more.forEach(printRow);
  };
  await withBench(options, report, async (bench) => {
    const date = new Date().toISOString();
    printHeading();
    for (const name of run) await CASES[name]?.(bench);
    if (!only)
      await writeResults(
        { date, machine: await describeMachine(bench.sql), areApart, loadBefore, ...options },
        rows,
      );
  });
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      seconds: { type: "string", default: "4" },
      rounds: { type: "string", default: "5" },
      samples: { type: "string", default: "200" },
    },
  });
  const only = values.only?.split(",");
  const unknown = only?.filter((name) => !(name in CASES)) ?? [];
  const numbers = {
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    samples: Number(values.samples),
  };
  if (unknown.length > 0 || !Object.values(numbers).every((value) => Number.isInteger(value) && value > 0)) {
    throw new Error(
      `--only takes some of ${Object.keys(CASES).join(",")}; the others whole numbers above 0.`,
    );
  }
  return { only, ...numbers };
}
