import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { MAIN } from "./main-file.js";
import { type LogLine, learnKeys, learnSecrets, watchOutput } from "./secrets.js";
import { type Answer, type Client, createClient } from "./server.js";

// Ends processes that a failed test left running.
const running = new Set<ChildProcessWithoutNullStreams>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export interface ProcessOptions {
  /** The environment, except for PATH and HOME. Nothing else is inherited. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** The program that gets the arguments, with its own first; by default the built gateway. */
  readonly command?: readonly [string, ...string[]];
  /** True for a process group of its own, as in a terminal. */
  readonly isGroup?: boolean;
}

/** The result of an ended process. */
export interface Ended {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `serve` in a separate process, on a free port and with the real clock. */
export interface RunningProcess extends Client {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly log: () => LogLine[];
  /** Sends GET `/health/ready`. */
  ready(): Promise<Answer<{ status: string; database: string; rate_limit_store: string }>>;
  /** Reads the value of a metric without labels. */
  metric(name: string): Promise<number>;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
  /** Sends a signal, and waits for the process to end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Creates an empty folder, which `remove` deletes. */
export function makeFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "gateway-process-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Creates an empty folder, removed after the test. */
export function temporaryFolder(): string {
  const { path, remove } = makeFolder();
  onTestFinished(remove);
  return path;
}

/** Returns an argument for Node.js or NODE_OPTIONS that runs a module's source before the gateway. */
export function preload(text: string): string {
  return `--import=data:text/javascript,${encodeURIComponent(text)}`;
}

function launch(
  args: readonly string[],
  { env = {}, cwd, command: [program, ...first] = [process.execPath, MAIN], isGroup = false }: ProcessOptions,
) {
  const { PATH, HOME } = process.env;
  learnSecrets(env);
  const child = spawn(program, [...first, ...args], {
    ...(cwd !== undefined && { cwd }),
    detached: isGroup,
    env: { PATH, HOME, ...env },
  });
  running.add(child);
  child.once("close", () => running.delete(child));
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
      if (name === "stdout") learnKeys(output.stdout);
    });
  }
  watchOutput(() => output.stderr);
  const ended = once(child, "close").then(([code]): Ended => ({ code, ...output }));
  return { child, output, ended };
}

/** Runs a command until it ends. Without DATA_DIR or DATABASE_URL it gets a new empty DATA_DIR. */
export async function runGateway(args: readonly string[], options: ProcessOptions = {}): Promise<Ended> {
  const { env = {} } = options;
  const needsFolder = env["DATA_DIR"] === undefined && env["DATABASE_URL"] === undefined;
  const folder = needsFolder ? makeFolder() : undefined;
  const { child, ended } = launch(args, {
    ...options,
    env: { ...env, ...(folder && { DATA_DIR: folder.path }) },
  });
  child.stdin.end();
  try {
    return await ended;
  } finally {
    folder?.remove();
  }
}

/** Runs a command in a terminal, created by `script`, and answers one question. Linux only. */
export async function runInTerminal(
  args: readonly string[],
  options: ProcessOptions & { answers?: { question: string; answer: string } },
): Promise<{ code: number | null; output: string }> {
  const { env, answers } = options;
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(" ");
  const { PATH, HOME } = process.env;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    env: { PATH, HOME, TERM: "xterm-256color", ...env },
  });
  running.add(child);
  let output = "";
  let isAnswered = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (isAnswered || answers === undefined || !output.includes(answers.question)) return;
    isAnswered = true;
    child.stdin.write(answers.answer);
  });
  const [code] = await once(child, "close");
  running.delete(child);
  return { code, output };
}

/** Starts a command, and kills it with SIGKILL as soon as `moment` resolves to true, unless it ends first. */
export async function killGateway(
  args: readonly string[],
  options: ProcessOptions,
  moment: () => Promise<boolean>,
): Promise<Ended> {
  const { child, ended } = launch(args, options);
  child.stdin.end();
  let isOver = false;
  const end = ended.finally(() => {
    isOver = true;
  });
  while (!isOver && !(await moment())) await setTimeout(2);
  child.kill("SIGKILL");
  return end;
}

/** Starts `serve` on a free port and waits until it listens. Throws with its output if it ends first. */
export async function startProcess(options: ProcessOptions & { args?: string[] }): Promise<RunningProcess> {
  const { args = options.command ? [] : ["serve"], env } = options;
  const { child, output, ended } = launch(args, { ...options, env: { PORT: "0", ...env } });
  const listening = new Promise<string>((resolve) => {
    child.stdout.on("data", () => {
      // The banner is one write, and its first line has the URL. npm may print lines before it.
      const url = /^Carbon Gateway is listening on (\S+)\n/m.exec(output.stdout)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const died = ended.then(({ code, stdout, stderr }) => {
    throw new Error(`ended with ${code} before it listened:\n${stdout}${stderr}`);
  });
  // Once it listens, its end is not a failure.
  died.catch(() => undefined);
  const client = createClient(await Promise.race([listening, died]));
  return {
    ...client,
    pid: child.pid as number,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    log: () => (output.stderr.match(/^\{.*\}(?=\n)/gm) ?? []).map((line) => JSON.parse(line)),
    ready: () => client.call("/health/ready"),
    async metric(name) {
      const { body } = await client.call<string>("/metrics");
      return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(body)?.[1]);
    },
    signal: (signal) => void child.kill(signal),
    ended,
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

/** Starts `serve` as an operator would, in production mode and with services. */
export function startInProduction(env: Readonly<Record<string, string>>): Promise<RunningProcess> {
  return startProcess({ env: { NODE_ENV: "production", SHUTDOWN_DELAY_SECONDS: "0", ...env } });
}

/** Warms up a new process: on cold code and a busy machine, a burst would time out waiting for connections. */
export async function warmUp(gateway: Client, key: string): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    await Promise.all([gateway.rest("/emissions", key), gateway.graphql("{ organization { slug } }", key)]);
  }
}
