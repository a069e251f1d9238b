import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import type pg from "pg";

/** A row of the table. */
export interface Row {
  readonly case: string;
  readonly against: string;
  readonly target?: { readonly atLeast: number } | { readonly atMost: number };
  /** Unit of `measured`; without one, it is a ratio. */
  readonly unit?: string;
  readonly measured: number;
  /** Ratio of CPU time: how many times less the gateway's process needs. */
  readonly byCpu?: number;
  readonly gateway: string;
  readonly other?: string;
  /** Figures of each round, from which it was computed. */
  readonly figures: unknown;
}

const number = (value: number, unit = "×") =>
  `${value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)} ${unit}`;

export function printHeading(): void {
  console.log(
    "| case | against | target | measured | by CPU time | gateway: rate, CPU time of each | the other |",
  );
  console.log("|---|---|---|---|---|---|---|");
}

export function printRow({ target, unit, ...row }: Row): void {
  const wanted = target
    ? "atLeast" in target
      ? `≥ ${target.atLeast} ${unit ?? "×"}`
      : `≤ ${target.atMost} ${unit ?? "×"}`
    : "";
  const missed =
    target && ("atLeast" in target ? row.measured < target.atLeast : row.measured > target.atMost);
  const measured = `${number(row.measured, unit)}${missed ? " (missed)" : ""}`;
  const byCpu = row.byCpu === undefined ? "" : number(row.byCpu);
  const cells = [row.case, row.against, wanted, measured, byCpu, row.gateway, row.other ?? ""];
  console.log(`| ${cells.join(" | ")} |`);
}

/** Returns the machine's load average of the last minute, and warns if it is busy. */
export function readLoadBefore(): number {
  const load = loadavg()[0] ?? 0;
  if (load > 0.5) {
    process.stderr.write(
      `The machine is busy (load ${load.toFixed(1)}): ratios by time will be unsteady, those by CPU less so.\n`,
    );
  }
  return load;
}

export async function describeMachine(sql: pg.Client) {
  const { rows } = await sql.query("SHOW server_version");
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim(),
    node: process.version,
    postgresql: String(rows[0].server_version).split(" ")[0],
    redis: /v=(\S+)/.exec(execFileSync("redis-server", ["--version"], { encoding: "utf8" }))?.[1],
  };
}

const FILE = fileURLToPath(new URL("results/throughput.json", import.meta.url));

/** Writes the figures of a complete run to the results, one line per row. */
export async function writeResults(run: object, rows: readonly Row[]): Promise<void> {
  const head = Object.entries(run).map(([name, value]) => `  "${name}": ${JSON.stringify(value)},`);
  const lines = rows.map((row) => `    ${JSON.stringify(row)}`);
  await writeFile(FILE, `{\n${head.join("\n")}\n  "rows": [\n${lines.join(",\n")}\n  ]\n}\n`);
}
