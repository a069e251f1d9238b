import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { commandOnCores } from "./cores.js";

const SERVERS = {
  gateway: ["dist/main.js", "serve"],
  "gateway with 2 workers": ["dist/main.js", "serve", "--workers", "2"],
  "gateway with a heap of 128 MB": ["--max-old-space-size=128", "dist/main.js", "serve"],
  floor: ["test/bench/servers/floor.ts"],
  fastify: ["test/bench/servers/fastify.ts"],
  mercurius: ["test/bench/servers/mercurius.ts"],
  apollo: ["test/bench/servers/apollo.ts"],
} as const;

export type ServerName = keyof typeof SERVERS;

/** Number of answering processes, by default one. */
const PROCESSES: Partial<Record<ServerName, number>> = { "gateway with 2 workers": 2 };

/** A server in a separate process. */
export interface Server {
  readonly name: ServerName;
  readonly url: string;
  /** Number of answering processes. */
  readonly processes: number;
  /** Returns its CPU seconds so far, user and system, of all threads and processes. */
  cpuSeconds(): number;
  residentMegabytes(): number;
  stop(): Promise<void>;
}

/** Thrown if a server ends before it listens. */
export class StartError extends Error {
  readonly code: number | null;
  constructor(name: ServerName, code: number | null) {
    super(`${name} ended with ${code} before it listened: node ${SERVERS[name].join(" ")}`);
    this.code = code;
  }
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TSX = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

const running = new Set<number>();
process.once("exit", () => {
  for (const group of running) signalGroup(group, "SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

/**
 * Starts a server in production, on a free port and on `cores` cores, if possible not the load's. Its log, at the default
 * level, goes to /dev/null.
 */
export async function startServer(
  name: ServerName,
  env: Readonly<Record<string, string>>,
  cores = PROCESSES[name] ?? 1,
): Promise<Server> {
  const command: readonly string[] = SERVERS[name];
  const isSource = command.some((part) => part.endsWith(".ts"));
  const { PATH, HOME } = process.env;
  const processes = PROCESSES[name] ?? 1;
  const [program, ...args] = [
    ...commandOnCores(cores),
    process.execPath,
    ...(isSource ? ["--import", TSX] : []),
    ...command,
  ] as [string, ...string[]];
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { PATH, HOME, NODE_ENV: "production", PORT: "0", ...env },
    stdio: ["ignore", "pipe", "ignore"],
    // A separate process group, so that workers are counted and ended with it.
    detached: true,
  });
  const group = child.pid as number;
  running.add(group);
  const exited = once(child, "close").then(([code]) => {
    running.delete(group);
    return code as number | null;
  });

  let printed = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      const found = /listening on (\S+)\n/.exec(printed)?.[1];
      if (found !== undefined) resolve(found);
    });
    exited.then((code) => reject(new StartError(name, code)), reject);
  });
  return {
    name,
    url,
    processes,
    cpuSeconds: () => sumOfGroup(group, ({ cpuSeconds }) => cpuSeconds),
    residentMegabytes: () => sumOfGroup(group, ({ megabytes }) => megabytes),
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // Already ended.
  }
}

// Linux's units on every platform of Node.js: 100 ticks a second, pages of 4 KiB.
const TICKS = 100;
const PAGE_MEGABYTES = 4_096 / 1e6;

function sumOfGroup(
  group: number,
  pick: (figures: { cpuSeconds: number; megabytes: number }) => number,
): number {
  let sum = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    let stat: string;
    try {
      stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    } catch {
      continue;
    }
    // After the name, which may contain anything: state, parent, group, …; see proc(5).
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    if (fields[2] !== group) continue;
    const [user = 0, system = 0] = fields.slice(11, 13);
    sum += pick({ cpuSeconds: (user + system) / TICKS, megabytes: (fields[21] ?? 0) * PAGE_MEGABYTES });
  }
  return sum;
}
