import { execFileSync } from "node:child_process";

/** The cores that this process may use; none if the machine has no `taskset`. */
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

/** Whether the load and a server of one process have a core each. */
export const areApart = cores.length > 1;

/** Moves this process, which makes the load, to the last core. */
export function moveLoad(): void {
  const core = cores.at(-1);
  if (areApart) execFileSync("taskset", ["-acp", String(core), String(process.pid)], { stdio: "ignore" });
}

/** What starts a server on the first cores, one for each of its processes; on all if the load's is needed too. */
export function commandOnCores(processes: number): readonly string[] {
  const own = cores.length > processes ? cores.slice(0, processes) : cores;
  return areApart ? ["taskset", "-c", own.join()] : [];
}
