import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { inShort } from "../support/full.js";
import { MAIN } from "../support/main-file.js";
import { startProcess } from "../support/process.js";
import { redisUrl } from "../support/redis-url.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { useDatabase } from "../support/use.js";

const PATIENCE = { timeout: 60_000, interval: 50 };

const WAYS: readonly [string, ...string[]][] = [
  ["npm", "start"],
  ["npm", "start", "--", "--workers", "2"],
  ["npm", "run", "gateway", "--", "serve"],
  ["npm", "run", "dev"],
  [process.execPath, MAIN, "serve", "--workers", "2"],
];

const SIGNALS = [
  ["SIGTERM", "process"],
  ["SIGTERM", "group"],
  ["SIGINT", "process"],
  ["SIGINT", "group"],
] as const;
/** As a supervisor stops it, and as Ctrl-C in a terminal does. */
const isUsual = ([signal, target]: (typeof SIGNALS)[number]) =>
  (signal === "SIGTERM") === (target === "process");

let key: string;

const database = useDatabase();
beforeAll(async () => {
  ({ key } = await makeKey(database, await makeOrganization(database)));
});

/** Reads the parent of each process that has not ended. */
function readParents(): Map<number, number> {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,stat="], { encoding: "utf8" }).trim().split("\n");
  const processes = lines.map((line) => line.trim().split(/\s+/));
  return new Map(
    processes
      .filter(([, , state]) => !state?.startsWith("Z"))
      .map(([pid, parent]) => [Number(pid), Number(parent)]),
  );
}

/** Returns the running ones of some processes. */
function findRunning(pids: readonly number[]): number[] {
  const parents = readParents();
  return pids.filter((pid) => parents.has(pid));
}

/** Returns a process and its descendants. */
function familyOf(pid: number): number[] {
  const parents = readParents();
  const isOfFamily = (one: number | undefined): boolean =>
    one === pid || (one !== undefined && isOfFamily(parents.get(one)));
  return [...parents.keys()].filter(isOfFamily);
}

/** Connects without a request, which nobody would answer while the workers stop. */
async function tryPort(url: string): Promise<string | undefined> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, "connect");
    return "connected";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    socket.destroy();
  }
}

/** Starts a request whose body is not sent yet. Resolves once the gateway has read its headers. */
async function startRequest(url: string) {
  const sent = request(`${url}/graphql`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-Key": key, Expect: "100-continue" },
  });
  const status = once(sent, "response").then(([response]) => {
    response.resume();
    return response.statusCode as number;
  });
  sent.flushHeaders();
  await once(sent, "continue");
  return { finish: () => sent.end(JSON.stringify({ query: "{ organization { slug } }" })), status };
}

describe.each(WAYS.map((way) => ({ name: way.join(" ").replace(process.cwd(), "."), way })))(
  "$name",
  ({ way }) => {
    it.each(inShort(SIGNALS, isUsual))(
      "%s to its %s answers pending requests, and ends everything",
      async (signal, target) => {
        const gateway = await startProcess({
          command: way,
          isGroup: true,
          env: {
            DATABASE_URL: database.url,
            REDIS_URL: redisUrl ?? "",
            SHUTDOWN_DELAY_SECONDS: "0",
          },
        });
        const family = familyOf(gateway.pid);
        onTestFinished(() => findRunning(family).forEach((pid) => void process.kill(pid, "SIGKILL")));
        const { finish, status } = await startRequest(gateway.url);
        process.kill(target === "group" ? -gateway.pid : gateway.pid, signal);
        await expect.poll(() => tryPort(gateway.url), PATIENCE).toBe("ECONNREFUSED");
        finish();
        expect([await status, (await gateway.ended).code]).toEqual([200, 0]);
        await expect.poll(() => findRunning(family), PATIENCE).toEqual([]);
      },
    );
  },
);
