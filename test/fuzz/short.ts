/** Longest time in milliseconds that one request may delay another organization's, on a machine at rest. */
const MAX_MS = 50;
/** Other processes and the garbage collector make some attempts slow; a request that blocks makes all of them slow. */
const ATTEMPTS = 5;

/** Fixed work that shows how slow the machine is at the moment. */
const WORK = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ n, name: `name ${n}` })));
/** CPU time of that work in milliseconds on a machine at rest. */
const WORK_MS = 7;
/** A request that blocks stays one, however slow the machine is. */
const MAX_SLOWNESS = 3;

/** Returns the CPU time in milliseconds that this process has used since `start`, a result of `process.cpuUsage()`. */
export function readCpu(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

function readLimit(): number {
  const times = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage();
    JSON.stringify(JSON.parse(WORK));
    return readCpu(start);
  }).toSorted((a, b) => a - b);
  return MAX_MS * Math.min(Math.max((times[2] ?? 0) / WORK_MS, 1), MAX_SLOWNESS);
}

/** A delay in milliseconds, and the result of the work that caused it. */
export interface Delay<Result> {
  readonly ms: number;
  readonly result: Result;
}

/**
 * Returns the result of the first attempt. Throws if each attempt delays others for longer than 50 ms, or than as much
 * more as this machine takes for fixed work right afterwards. `attempt` gets its number, from 0 on.
 */
export async function requireShort<Result>(
  attempt: (number: number) => Promise<Delay<Result>>,
): Promise<Result> {
  const first = await attempt(0);
  const tries: string[] = [];
  for (let { ms } = first; ms > MAX_MS; { ms } = await attempt(tries.length)) {
    const limit = readLimit();
    if (ms <= limit) break;
    tries.push(`${ms.toFixed(0)} (at most ${limit.toFixed(0)})`);
    if (tries.length === ATTEMPTS) throw new Error(`others waited for ${tries.join(", ")} ms`);
  }
  return first.result;
}
