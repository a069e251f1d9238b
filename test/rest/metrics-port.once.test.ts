import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { App } from "../../src/app.js";
import { makeCommandDatabase, migratedFolder } from "../support/command-database.js";
import { runGateway, startProcess } from "../support/process.js";
import { sendRaw } from "../support/raw.js";
import { createTestLog } from "../support/secrets.js";
import { readConfig, startApp } from "../support/served.js";
import { createClient, makeKey, makeOrganization, NOW } from "../support/server.js";
import { freePort } from "../support/tcp-proxy.js";
import { useDatabase } from "../support/use.js";

const database = useDatabase();

const start = (env: Record<string, string>) => {
  const config = readConfig({ PORT: "0", ...env });
  return startApp({ config, database, log: createTestLog().log, clock: () => NOW });
};

/** Requests each path from the server at `url`, and returns the statuses. */
async function statuses(url: string | null, ...paths: string[]): Promise<number[]> {
  const client = createClient(url ?? "");
  return Promise.all(paths.map(async (path) => (await client.call(path)).status));
}
const HEALTH = ["/health/live", "/health/ready"];

describe("METRICS_PORT", () => {
  let app: App;
  beforeAll(async () => {
    app = await start({ METRICS_PORT: "0" });
  });
  afterAll(() => app.stop());

  it("moves /metrics to its own port, and serves /health on both", async () => {
    expect(new URL(app.metricsUrl ?? "").hostname).toBe(new URL(app.url).hostname);
    expect(await statuses(app.metricsUrl, "/metrics", ...HEALTH)).toEqual([200, 200, 200]);
    expect(await statuses(app.url, "/metrics", ...HEALTH)).toEqual([404, 200, 200]);
    expect((await createClient(app.url).call("/metrics")).body).toMatchObject({
      success: false,
      error: { code: "NOT_FOUND", message: "No such endpoint: /metrics" },
    });
  });

  it("counts requests to the main port", async () => {
    const { key } = await makeKey(database, await makeOrganization(database));
    await createClient(app.url).rest("/market", key);
    const { body, headers } = await createClient(app.metricsUrl ?? "").call<string>("/metrics");
    expect(headers.get("content-type")).toContain("text/plain");
    expect(body).toMatch(/^http_server_request_duration_seconds_count\{surface="rest".*\} 1$/m);
  });

  it("answers 404 in the envelope to everything else", async () => {
    const paths = [
      "/",
      "/graphql",
      "/api/v1/ext/v1/emissions",
      "/openapi.json",
      "/Metrics",
      "/metrics/",
      "/health",
    ];
    expect(await statuses(app.metricsUrl, ...paths)).toEqual(paths.map(() => 404));
    const { body, headers } = await createClient(app.metricsUrl ?? "").call("/graphql");
    expect(body).toEqual({
      success: false,
      data: null,
      error: { code: "NOT_FOUND", message: "No such endpoint: /graphql" },
      meta: { request_id: headers.get("x-request-id"), timestamp: NOW.toISOString(), version: "1.0" },
    });
  });
});

describe("a request to METRICS_PORT without a Host header", () => {
  it("gets 400 in the envelope", async () => {
    const app = await start({ METRICS_PORT: "0" });
    try {
      const answer = await sendRaw(
        app.metricsUrl ?? "",
        "GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n",
      );
      expect([answer.status, JSON.parse(answer.body).error]).toEqual([
        400,
        { code: "BAD_REQUEST", message: "Malformed request: no Host header." },
      ]);
    } finally {
      await app.stop();
    }
  });
});

describe("without METRICS_PORT", () => {
  it("serves everything on one port", async () => {
    const app = await start({});
    try {
      expect(app.metricsUrl).toBeNull();
      expect(await statuses(app.url, "/metrics", ...HEALTH)).toEqual([200, 200, 200]);
      // Another spelling must not bypass a proxy that hides `/metrics`.
      expect(await statuses(app.url, "/METRICS", "/metrics/", "/health/ready/")).toEqual([404, 404, 404]);
    } finally {
      await app.stop();
    }
  });
});

describe("a gateway with METRICS_PORT", () => {
  it("reports readiness on both ports while it stops, then closes both", async () => {
    const app = await start({ METRICS_PORT: "0", SHUTDOWN_DELAY_SECONDS: "1" });
    const stopped = app.stop();
    for (const url of [app.url, app.metricsUrl]) expect(await statuses(url, ...HEALTH)).toEqual([200, 503]);
    await stopped;
    for (const url of [app.url, app.metricsUrl])
      await expect(statuses(url, "/health/live")).rejects.toThrow();
  });

  it("closes one port if the other is taken", async () => {
    const other = await start({ METRICS_PORT: "0" });
    const [port, metricsPort] = [other.url, other.metricsUrl].map((url) => new URL(url ?? "").port);
    const free = String(await freePort());
    try {
      for (const taken of [
        { PORT: port ?? "", METRICS_PORT: free },
        { PORT: free, METRICS_PORT: metricsPort ?? "" },
      ]) {
        await expect(start(taken)).rejects.toThrow("EADDRINUSE");
        await expect(statuses(`http://127.0.0.1:${free}`, "/health/live")).rejects.toThrow();
      }
    } finally {
      await other.stop();
    }
  });

  it("prints the URL of the metrics, or names METRICS_PORT if the port is taken", async () => {
    const metricsPort = String(await freePort());
    const { env, close } = await makeCommandDatabase();
    onTestFinished(close);
    const gateway = await startProcess({ env: { ...env, METRICS_PORT: metricsPort } });
    try {
      expect(gateway.stdout()).toContain(`  Metrics   http://127.0.0.1:${metricsPort}/metrics\n`);
      const second = await runGateway(["serve"], {
        env: { DATA_DIR: await migratedFolder(), PORT: "0", METRICS_PORT: metricsPort },
      });
      expect([second.code, second.stderr]).toEqual([
        1,
        `Port ${metricsPort} is in use by another process. Stop that process, or set METRICS_PORT to a different port.\n`,
      ]);
    } finally {
      await gateway.stop();
    }
  });
});
