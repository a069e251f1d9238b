import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { preload, type RunningProcess, runGateway, startProcess } from "../support/process.js";
import { redisUrl } from "../support/redis-url.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { freePort } from "../support/tcp-proxy.js";
import { useDatabase } from "../support/use.js";

const args = ["serve", "--workers", "2"];
const BOUND = { timeout: 60_000, interval: 20 };

let env: Record<string, string>;
let gateway: RunningProcess;
let key: string;

const database = useDatabase();
beforeAll(async () => {
  env = { NODE_ENV: "production", DATABASE_URL: database.url ?? "", REDIS_URL: redisUrl ?? "" };
  gateway = await startProcess({ args, env });
  ({ key } = await makeKey(database, await makeOrganization(database), { tier: "free" }));
});
afterAll(() => gateway.signal("SIGKILL"));

/** Sends a request on a new connection, so that the workers take turns; null if none accepts it. */
async function ask(url: string, value: string): Promise<Response | null> {
  const headers = { "X-API-Key": value, Connection: "close" };
  return fetch(`${url}/ext/v1/emissions`, { headers }).catch(() => null);
}

/** Counts the sessions that listen for changes, one per worker. */
async function countListeners(): Promise<number> {
  const rows = await database.transaction((sql) =>
    sql.query(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
         AND (query IN ('LISTEN "gateway_changes"', 'SELECT 1') OR query LIKE '%pg_current_snapshot()%')`,
    ),
  );
  return rows.length;
}

/** Starts two workers that first run the test's code, on a fixed port. */
const startWith = async (text: string) =>
  startProcess({ args, env: { ...env, NODE_OPTIONS: preload(text), PORT: String(await freePort()) } });

/** Returns true if both workers report metrics; false also while nobody listens. */
async function isWhole({ url }: { readonly url: string }): Promise<boolean> {
  const metrics = await fetch(`${url}/metrics`).then(
    (answer) => answer.text(),
    () => "",
  );
  return metrics.includes("\ngateway_processes 2\n");
}

const refusals = async (url: string) => {
  const metrics = await (await fetch(`${url}/metrics`, { headers: { Connection: "close" } })).text();
  return Number(/^gateway_authentication_failures_total\{reason="malformed"\} (\d+)$/m.exec(metrics)?.[1]);
};

const served = async () => {
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  const counted = metrics.matchAll(
    /^http_server_request_duration_seconds_count\{surface="rest".*\} (\d+)$/gm,
  );
  return [...counted].reduce((sum, [, count]) => sum + Number(count), 0);
};

describe("serve --workers 2", () => {
  it("keeps one exact budget, and reports the requests of all workers", async () => {
    await vi.waitUntil(async () => (await countListeners()) >= 2, BOUND);
    const before = await served();
    const answers = await Promise.all(Array.from({ length: 130 }, () => ask(gateway.url, key)));
    const count = (status: number) => answers.filter((answer) => answer?.status === status).length;
    expect([count(200), count(429)]).toEqual([100, 30]);
    await vi.waitUntil(async () => (await served()) === before + 130, BOUND);
  });

  it("replaces a worker that dies, and continues to answer", async () => {
    const { key: other } = await makeKey(database, await makeOrganization(database));
    const child = await findWorker(gateway.pid);
    process.kill(child, "SIGKILL");
    await vi.waitUntil(
      () => gateway.log().some(({ msg, pid }) => msg.startsWith("a worker exited") && pid === child),
      BOUND,
    );
    expect((await ask(gateway.url, other))?.status).toBe(200);
    await vi.waitUntil(async () => (await findWorkers(gateway.pid)).length === 2, BOUND);
    expect(await findWorkers(gateway.pid)).not.toContain(child);
  });

  it("exits with 0 and leaves no worker behind on SIGTERM", async () => {
    const workers = await findWorkers(gateway.pid);
    const { code } = await gateway.stop("SIGTERM");
    expect(code).toBe(0);
    const isAlive = (pid: number) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await vi.waitUntil(() => !workers.some(isAlive), BOUND);
  });

  it("reports the requests of all workers on METRICS_PORT only, whichever answers", async () => {
    const other = await startProcess({ args, env: { ...env, METRICS_PORT: String(await freePort()) } });
    const [, url = ""] = /^ {2}Metrics {3}(\S+)\/metrics$/m.exec(other.stdout()) ?? [];
    onTestFinished(async () => void (await other.stop()));
    // The second worker may start later than the first.
    await vi.waitUntil(() => isWhole({ url }), BOUND);
    await Promise.all(Array.from({ length: 10 }, () => ask(other.url, "malformed")));
    for (let turn = 0; turn < 4; turn += 1) expect(await refusals(url)).toBe(10);
    expect((await fetch(`${other.url}/metrics`)).status).toBe(404);
    const ready = await fetch(`${url}/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([200, expect.objectContaining({ status: "ok" })]);
  });

  it("keeps the counts of a worker that dies", async () => {
    const other = await startProcess({ args, env });
    onTestFinished(async () => void (await other.stop()));
    await vi.waitUntil(() => isWhole(other), BOUND);
    await Promise.all(Array.from({ length: 20 }, () => ask(other.url, "malformed")));
    expect(await refusals(other.url)).toBe(20);
    for (const worker of await findWorkers(other.pid)) {
      process.kill(worker, "SIGKILL");
      await vi.waitUntil(async () => !(await findWorkers(other.pid)).includes(worker), BOUND);
      await vi.waitUntil(() => isWhole(other), BOUND);
      expect(await refusals(other.url)).toBe(20);
    }
    await ask(other.url, "malformed");
    expect(await refusals(other.url)).toBe(21);
  });

  it("reports the other workers if one does not answer", async () => {
    const silent = `
      import cluster from "node:cluster";
      if (cluster.worker?.id === 2) {
        const { emit } = process;
        process.emit = (name, ...rest) => rest[0]?.metricsRequest ? false : emit.call(process, name, ...rest);
      }`;
    const other = await startWith(silent);
    onTestFinished(async () => void (await other.stop()));
    await vi.waitUntil(async () => (await countListeners()) >= 2, BOUND);
    const metrics = await (await fetch(`${other.url}/metrics`)).text();
    expect(metrics).toContain("\ngateway_processes 1\n");
  });

  it("survives a worker that dies after requesting the metrics of all", async () => {
    // It dies after reporting its own metrics, and the other reports only after that.
    const dying = `
      import cluster from "node:cluster";
      import { subscribe } from "node:diagnostics_channel";
      let dies = false;
      subscribe("http.server.request.start", ({ request }) => {
        dies ||= request.url === "/metrics?die";
      });
      if (cluster.isWorker) {
        process.prependListener("message", (message) => {
          if (message?.metricsRequest === undefined) return;
          if (dies) setTimeout(() => process.kill(process.pid, "SIGKILL"), 20);
          else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
        });
      }`;
    const other = await startWith(dying);
    onTestFinished(async () => void (await other.stop()));
    await vi.waitUntil(() => isWhole(other), BOUND);
    await expect(fetch(`${other.url}/metrics?die`)).rejects.toThrow("fetch failed");
    await vi.waitUntil(() => other.log().some(({ msg }) => msg.startsWith("a worker exited")), BOUND);
    await vi.waitUntil(async () => (await findWorkers(other.pid)).length === 2, BOUND);
    await vi.waitUntil(async () => (await ask(other.url, "malformed"))?.status === 401, BOUND);
  });

  it.each([
    ["dies before it serves", `if (cluster.worker?.id === 3) process.exit(1);`],
    [
      "cannot be started",
      `const { execPath } = process;
      cluster.once("exit", () => {
        process.execPath = "/nowhere/node";
        cluster.once("fork", () => setTimeout(() => Object.assign(process, { execPath })));
      });`,
    ],
  ])("tries again if a replacement worker %s", async (_how, failing) => {
    const other = await startWith(`import cluster from "node:cluster"; ${failing}`);
    onTestFinished(async () => void (await other.stop()));
    await vi.waitUntil(() => isWhole(other), BOUND);
    process.kill(await findWorker(other.pid), "SIGKILL");
    const ends = () => other.log().filter(({ msg }) => msg.startsWith("a worker exited"));
    await vi.waitUntil(() => ends().length === 2, BOUND);
    await vi.waitUntil(() => isWhole(other), BOUND);
  });

  it.each([
    ["the port", "PORT", "METRICS_PORT"],
    ["the port of metrics", "METRICS_PORT", "PORT"],
  ])("exits with 1 if %s is in use, and says so", async (_which, taken, free) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    const ports = { [taken]: String(port), [free]: String(await freePort()) };
    const { code, stderr } = await runGateway(args, { env: { ...env, ...ports } });
    expect(code).toBe(1);
    expect(stderr).toContain(`Port ${port} is in use by another process.`);
    other.close();
  });

  it.each([
    ["without services", {}, ["serve", "--workers", "2"], "--workers needs DATABASE_URL and REDIS_URL"],
    [
      "without a valid number",
      {},
      ["serve", "--workers", "0"],
      "Expected a number of processes from 1 to 64.",
    ],
  ])("is refused %s", async (_case, environment, command, message) => {
    const { code, stderr } = await runGateway(command, { env: environment });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

/** Lists the child processes of a process, from /proc. */
async function findWorkers(parent: number): Promise<number[]> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, "utf8");
  return children.trim().split(" ").filter(Boolean).map(Number);
}

async function findWorker(parent: number): Promise<number> {
  const [worker] = await findWorkers(parent);
  if (worker === undefined) throw new Error("there is no worker");
  return worker;
}
