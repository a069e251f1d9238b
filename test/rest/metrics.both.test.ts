import { beforeAll, describe, expect, inject, it, vi } from "vitest";
import { parse } from "yaml";
import type { CreatedKey } from "../../src/actions/keys/new-key.js";
import { endpoints } from "../../src/rest/ext/index.js";
import { connectMcp } from "../support/mcp.js";
import { readPage, rowsOf } from "../support/pages.js";
import { makeKey, makeOrganization, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const BOUND = { timeout: 60_000, interval: 10 };

let created: CreatedKey;

const gateway = useGateway();
beforeAll(async () => {
  created = await makeKey(gateway.database, await makeOrganization(gateway.database), { tier: "free" });
});

const read = async () => (await gateway.call<string>("/metrics")).body;

/** Documented metrics that this gateway has. No test database has replicas. */
async function readDocumented() {
  const rows = rowsOf(await readPage("docs/operations.md"), "| metric | labels | |").filter(
    ([names = ""]) => !names.includes("gateway_replica_"),
  );
  return rows.filter(([names = ""]) => isOfServer() || !names.startsWith("`db_"));
}
const isOfServer = () => gateway.database.url !== undefined;
const wordsOf = (cell = "") => [...cell.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word);

/** Reads the value of a metric with exactly these labels, each as `name="value"`. */
async function value(name: string, ...labels: string[]): Promise<number> {
  const wanted = labels.toSorted().join();
  for (const [, found = "", count] of (await read()).matchAll(
    new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, "gm"),
  )) {
    if (found.split(",").filter(Boolean).toSorted().join() === wanted) return Number(count);
  }
  return Number.NaN;
}

/** Expects `work` to add `expected` to a count. */
async function added(count: () => Promise<number>, work: () => Promise<unknown>, expected: number) {
  const before = await count();
  await work();
  await vi.waitFor(async () => expect((await count()) - before).toBe(expected), BOUND);
}

describe("GET /metrics", () => {
  it("has exactly the documented metrics besides Node's, named by unit or _total", async () => {
    const rows = await readDocumented();
    const { call } = await connectMcp(gateway, { "X-API-Key": created.key });
    await call("get_organization");
    await gateway.database.prisma.job.create({ data: { name: "a job", startedAt: NOW, finishedAt: NOW } });
    await vi.waitFor(async () => expect(await read()).toContain('{job="a job"}'), BOUND);
    const documented = rows.flatMap(([names]) => wordsOf(names));
    const shown = [...(await read()).matchAll(/^# TYPE (\w+) (\w+)$/gm)].filter(
      ([, name = ""]) => !/^(process|nodejs)_/.test(name),
    );
    expect(shown.map(([, name]) => name).toSorted()).toEqual(documented.toSorted());
    for (const [, name = "", type] of shown) {
      if (type === "counter") expect(name).toMatch(/_total$/);
      if (type === "histogram") expect(name).toMatch(/_(seconds|bytes)$/);
    }
    for (const [names, labels] of rows) {
      const [name = ""] = wordsOf(names);
      for (const label of wordsOf(labels)) {
        expect(await read()).toMatch(new RegExp(`^${name}.*\\b${label}=`, "m"));
      }
    }
  });

  it.runIf(inject("template").kind === "postgres")("has what the alert rules look at", async () => {
    const { groups } = parse(await readPage("docs/deploy/alerts.yaml"));
    const rules = groups.flatMap(({ rules }: { rules: { expr: string }[] }) => rules);
    const named = rules.flatMap(
      ({ expr }: { expr: string }) => expr.match(/\b(?:gateway|http|db)_\w+/g) ?? [],
    );
    const labels = ["http_response_status_code"];
    const metrics = (await read()).match(/^\w+/gm);
    expect(rules.length).toBeGreaterThan(5);
    expect(named.filter((name: string) => !labels.includes(name) && !metrics?.includes(name))).toEqual([]);
  });

  it("tells what waits for delivery, and for how long", async () => {
    const { prisma } = gateway.database;
    const mail = { kind: "reset", email: "ada@example.com", createdAt: NOW };
    const dueAt = new Date(Date.now() - 600_000);
    await prisma.mailJob.createMany({
      data: [
        { ...mail, nextAt: dueAt },
        { ...mail, nextAt: new Date(Date.now() + 600_000) },
      ],
    });
    await vi.waitFor(
      async () => expect(await value("gateway_queue_waiting", 'queue="emails"')).toBe(2),
      BOUND,
    );
    const overdue = await value("gateway_queue_overdue_seconds", 'queue="emails"');
    expect(overdue).toBeGreaterThanOrEqual(600);
    expect(overdue).toBeLessThanOrEqual((Date.now() - dueAt.getTime()) / 1_000);
    expect(await value("gateway_queue_waiting", 'queue="webhooks"')).toBe(0);
  });

  it("counts requests by surface, method, route and status", async () => {
    const labels = ['surface="rest"', 'http_request_method="HEAD"', 'http_response_status_code="200"'];
    const count = (route: string) => () =>
      value("http_server_request_duration_seconds_count", ...labels, `http_route="${route}"`);
    const head = (path: string) => () => gateway.call(path, { method: "HEAD", headers });
    const headers = { "X-API-Key": created.key };
    await head("/api/v1/ext/v1/market")();
    await vi.waitFor(async () => expect(await count("/ext/v1/market")()).toBe(1), BOUND);
    await added(count("/ext/v1/market"), head("/ext/v1/market/"), 1);
    await head("/ext/v1/credits")();
    await vi.waitFor(async () => expect(await count("/ext/v1/credits")()).toBe(1), BOUND);
    // The request for the metrics itself.
    expect(await value("http_server_active_requests")).toBe(1);
  });

  it("labels known routes, and leaves the label empty for any other path", async () => {
    for (const path of ["/ext/v1/made-up", "/ext/v1/emissions/made-up", "/made-up", "/graphql/made-up"])
      await gateway.call(path);
    for (const { path } of endpoints) await gateway.rest(path, created.key);
    await gateway.graphql("query MadeUp { organization { slug } }", created.key);
    const routes = async () =>
      new Set([...(await read()).matchAll(/http_route="(.*?)"/g)].map(([, one]) => one));
    const expected = ["", "/graphql", "/mcp", ...endpoints.map(({ path }) => `/ext/v1${path}`)];
    await vi.waitFor(
      async () => expect([...(await routes())].toSorted()).toEqual(expected.toSorted()),
      BOUND,
    );
  });

  it("counts authentication failures by reason, and rate-limited requests", async () => {
    const { database } = gateway;
    const slug = await makeOrganization(database);
    const ended = async (data: object) => {
      const { id, key } = await makeKey(database, slug);
      await database.prisma.apiKey.update({ where: { id }, data });
      return key;
    };
    const unknown = await makeKey(database, slug);
    await database.prisma.apiKey.delete({ where: { id: unknown.id } });
    const keys = {
      malformed: "cgw_live_x",
      unknown: unknown.key,
      revoked: await ended({ revokedAt: NOW }),
      expired: await ended({ expiresAt: NOW }),
      repeated: "one, two",
      missing: undefined,
      misplaced: undefined,
    };
    for (const [reason, key] of Object.entries(keys)) {
      const count = () => value("gateway_authentication_failures_total", `reason="${reason}"`);
      const query = reason === "misplaced" ? `?key=${created.key}` : "";
      await added(count, () => gateway.rest(`/market${query}`, key), 1);
    }
    const spend = () => Promise.all(Array.from({ length: 101 }, () => gateway.rest("/market", created.key)));
    const before = await value("gateway_rate_limited_requests_total");
    await spend();
    await vi.waitFor(
      async () => expect(await value("gateway_rate_limited_requests_total")).toBeGreaterThan(before),
      BOUND,
    );
  });

  it("reports the size of the cache, its hits and its misses", async () => {
    const { key } = await makeKey(gateway.database, await makeOrganization(gateway.database));
    const lookups = (result: string) => () =>
      value("gateway_memory_lookups_total", 'memory="rest"', `result="${result}"`);
    const entries = () => value("gateway_memory_entries", 'memory="rest"');
    const [before, size] = [await entries(), await value("gateway_memory_size_bytes", 'memory="rest"')];
    await added(lookups("computed"), () => gateway.rest("/emissions", key), 1);
    expect(await entries()).toBe(before + 1);
    expect(await value("gateway_memory_size_bytes", 'memory="rest"')).toBeGreaterThan(size);
    await added(lookups("remembered"), () => gateway.rest("/emissions", key), 1);
    expect(await value("gateway_memory_limit_bytes", 'memory="rest"')).toBe(48 << 20);
    expect(await value("gateway_changes_heard")).toBe(1);
    expect(await value("gateway_rate_limit_store_up")).toBe(1);
    expect(await value("gateway_processes")).toBe(1);
  });

  it("reports connections to a server, and none to an embedded database", async () => {
    const state = (name: string) =>
      value("db_client_connection_count", `db_client_connection_state="${name}"`);
    if (gateway.database.url === undefined) {
      expect(await read()).not.toContain("db_client_connection");
      return;
    }
    await gateway.database.transaction(async () => {
      await expect.poll(() => state("used")).toBe(1);
    });
    await expect.poll(() => state("used")).toBe(0);
    expect(await state("idle")).toBeGreaterThan(0);
    expect(await value("db_client_connection_max")).toBe(10);
    expect(await value("db_client_connection_pending_requests")).toBe(0);
  });

  it("has no label with a key, a tenant or an operation's name", async () => {
    const { prisma } = gateway.database;
    const [keys, organizations] = [await prisma.apiKey.findMany(), await prisma.organization.findMany()];
    await gateway.graphql("query NamedByTheClient { organization { slug } }", created.key);
    const text = await read();
    for (const { id } of keys) expect(text).not.toContain(id);
    for (const { id, slug, name } of organizations)
      for (const part of [id, slug, name]) expect(text).not.toContain(part);
    expect(text).not.toContain("NamedByTheClient");
  });
});
