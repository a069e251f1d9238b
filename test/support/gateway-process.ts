import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import type { Answer, Envelope, GraphqlBody } from "./server.js";

/** A line of the gateway's log. */
export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** `serve` in a process of its own, on a free port and the real clock. */
export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  /** Everything that it has logged so far. */
  readonly log: readonly LogLine[];
  /** GET of a REST endpoint, such as `/emissions`. */
  rest(path: string, key?: string, headers?: Record<string, string>): Promise<Answer<Envelope>>;
  graphql(query: string, key?: string): Promise<Answer<GraphqlBody>>;
  /** GET of `/health/ready`. */
  ready(): Promise<Answer<{ status: string; database: string; rate_limit_store: string }>>;
  /** The value of a metric without labels. */
  metric(name: string): Promise<number>;
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Ends the process, if it has not ended by itself. */
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/** Starts the gateway as an operator would, in production, and waits until it listens. */
export async function startGatewayProcess(env: Environment): Promise<GatewayProcess> {
  const child = run(["serve"], { PORT: "0", ...env });
  const log: LogLine[] = [];
  const said: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (line.startsWith("{")) log.push(JSON.parse(line));
    else said.push(line);
  });
  const exited = once(child, "close").then(([code, signal]) => ({ code, signal }));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /listening on (\S+)/.exec(line)?.[1];
      if (found) resolve(found);
    });
    exited.then(({ code }) => reject(new Error(`serve ended with ${code}: ${said.join("\n")}`)));
  });

  const call = async <Body>(path: string, init?: RequestInit): Promise<Answer<Body>> => {
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  };
  const withKey = (key: string | undefined): Record<string, string> =>
    key === undefined ? {} : { "X-API-Key": key };

  return {
    url,
    pid: child.pid ?? 0,
    log,
    rest: (path, key, headers) => call(`/api/v1/ext/v1${path}`, { headers: { ...withKey(key), ...headers } }),
    graphql: (query, key) =>
      call("/graphql", {
        method: "POST",
        headers: { "Content-Type": "application/json", ...withKey(key) },
        body: JSON.stringify({ query }),
      }),
    ready: () => call("/health/ready"),
    async metric(name) {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
    },
    signal: (signal) => void child.kill(signal),
    exited,
    async stop() {
      // One that hangs would hold up the whole run.
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await exited;
    },
  };
}

/**
 * Lets a new process find its pace: a burst of requests that meets cold code on a busy machine waits for connections
 * of the database for longer than they are waited for.
 */
export async function warmUp(gateway: GatewayProcess, key: string): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    await Promise.all([gateway.rest("/emissions", key), gateway.graphql("{ organization { slug } }", key)]);
  }
}

/** Runs one command, such as `keys revoke <id>`, to its end; returns what it printed as JSON. */
export async function runCommand<Result = unknown>(
  args: readonly string[],
  env: Environment,
): Promise<Result> {
  const child = run([...args, "--json"], env);
  let [printed, said] = ["", ""];
  child.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, "close");
  expect([code, said]).toEqual([0, ""]);
  return JSON.parse(printed);
}

function run(args: readonly string[], env: Environment) {
  return spawn(process.execPath, ["--import", "tsx", "src/main.ts", ...args], {
    env: { PATH: process.env["PATH"], NODE_ENV: "production", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}
