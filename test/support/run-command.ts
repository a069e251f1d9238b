import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { HostedCommand, HostedEnd } from "./command-host.js";
import { type Ended, makeFolder, type ProcessOptions, runGateway } from "./process.js";
import { learnKeys, learnSecrets, watchOutput } from "./secrets.js";
import { words } from "./words.js";

const HOST = fileURLToPath(new URL("./command-host.ts", import.meta.url));

let host: ChildProcess | undefined;
let queue: Promise<unknown> = Promise.resolve();

/**
 * Runs a command until it ends. Commands run one after another in one process, which saves starting Node.js. Tests
 * about the process itself (signals, terminals, pipes, `serve`) use `runGateway`. Without DATA_DIR or DATABASE_URL, the
 * command gets a new empty DATA_DIR.
 */
export function runCommand(args: readonly string[], options: ProcessOptions = {}): Promise<HostedEnd> {
  const ended = queue.then(() => ask(args, options));
  queue = ended.catch(() => undefined);
  return ended;
}

/** Runs a command line until it ends: `serve` in a process of its own, and other commands as `runCommand` does. */
export const runLine = (line: string, options: ProcessOptions = {}): Promise<Ended> =>
  line.startsWith("serve") ? runGateway(words(line), options) : runCommand(words(line), options);

async function ask(args: readonly string[], { env = {}, cwd }: ProcessOptions): Promise<HostedEnd> {
  if (args[0] === "serve")
    throw new Error("serve needs a process of its own: use startProcess or runGateway");
  const { PATH, HOME } = process.env;
  const folder = makeFolder();
  learnSecrets(env);
  const command: HostedCommand = {
    args,
    env: { PATH, HOME, ...(env["DATABASE_URL"] === undefined && { DATA_DIR: folder.path }), ...env },
    cwd: cwd ?? process.cwd(),
  };
  host ??= startHost();
  const over = new AbortController();
  const ended = Promise.race([once(host, "message", over), once(host, "exit", over)]);
  host.send(command);
  try {
    const [end] = (await ended) as [HostedEnd | number | null];
    if (typeof end !== "object" || end === null) {
      host = undefined;
      throw new Error(`the process that runs commands ended while it ran: ${args.join(" ")}`);
    }
    learnKeys(end.stdout);
    watchOutput(() => end.stderr);
    return end;
  } finally {
    over.abort();
    folder.remove();
  }
}

/** Starts the process, which ends when its channel to this one closes. */
function startHost(): ChildProcess {
  const child = fork(HOST, {
    // A path, because threads load it again after a command has changed the folder.
    execArgv: ["--import", import.meta.resolve("tsx")],
    // Output of Node.js itself, such as a crash, appears in the tests' output.
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  child.unref();
  child.channel?.unref();
  return child;
}
