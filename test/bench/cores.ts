import { execFileSync } from "node:child_process";

/** Returns the cores that this process may use; none without `taskset`. */
function readCores(): readonly number[] {
  try {
    const text = execFileSync("taskset", ["-cp", String(process.pid)], { encoding: "utf8" });
    return (text.split(": ")[1] ?? "").split(",").flatMap((part) => {
      const [first = 0, last = first] = part.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
  } catch {
    return [];
  }
}

const cores = readCores();

/** True if the load and a single-process server have a core each. */
export const areApart = cores.length > 1;

/** Moves this process, which creates the load, to the last core. */
export function moveLoad(): void {
  const core = cores.at(-1);
  if (areApart) execFileSync("taskset", ["-acp", String(core), String(process.pid)], { stdio: "ignore" });
}

/** Returns the command prefix that runs a server on the first cores, one per process; on all if the load's is needed. */
export function commandOnCores(processes: number): readonly string[] {
  const own = cores.length > processes ? cores.slice(0, processes) : cores;
  return areApart ? ["taskset", "-c", own.join()] : [];
}
