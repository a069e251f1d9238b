import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readVersion } from "../../src/paths.js";
import { type CollectedSpan, type Collector, startCollector } from "../support/collector.js";
import { migratedFolder } from "../support/command-database.js";
import { openTestDatabase } from "../support/database.js";
import { startProcess } from "../support/process.js";
import { findSecrets } from "../support/secrets.js";
import { type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";
import { useDatabase } from "../support/use.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const SENT = { timeout: 60_000, interval: 20 };
// OpenTelemetry's SDK reads this variable itself; the default is 5 seconds.
vi.stubEnv("OTEL_BSP_SCHEDULE_DELAY", "100");
vi.stubEnv("OTEL_SERVICE_NAME", "gateway-under-test");

let collector: Collector;
let gateway: Gateway;
let organization: string;
let key: string;

beforeAll(async () => {
  collector = await startCollector();
  gateway = await startGateway({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` } });
  organization = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, organization));
});
afterAll(async () => {
  await gateway.stop();
  await collector.stop();
});

/** Waits for the request with this id, and returns its root span and all spans of its trace. */
async function spansOf(id: string): Promise<{ root: CollectedSpan; all: CollectedSpan[] }> {
  const find = () => collector.spans.find(({ attributes }) => attributes["gateway.request_id"] === id);
  await vi.waitUntil(() => find() !== undefined, SENT);
  const root = find() as CollectedSpan;
  return { root, all: collector.spans.filter(({ traceId }) => traceId === root.traceId) };
}

const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);

describe("a trace", () => {
  it("continues the caller's trace down to the SQL statements", async () => {
    const id = randomUUID();
    const headers = {
      "X-Request-Id": id,
      traceparent: `00-${TRACE}-${PARENT}-01`,
      tracestate: "vendor=opaque",
    };
    expect((await gateway.rest("/emissions", key, { headers })).status).toBe(200);
    const { root, all } = await spansOf(id);

    expect(root).toMatchObject({
      traceId: TRACE,
      parentSpanId: PARENT,
      traceState: "vendor=opaque",
      kind: 2,
    });
    expect([root.name, root.status]).toEqual(["GET /ext/v1/emissions", { code: 0 }]);
    expect(root.attributes).toEqual({
      "http.request.method": "GET",
      "url.scheme": "http",
      "url.path": "/api/v1/ext/v1/emissions",
      "http.route": "/ext/v1/emissions",
      "http.response.status_code": 200,
      "gateway.request_id": id,
    });
    expect(root.resource).toMatchObject({
      "service.name": "gateway-under-test",
      "service.version": readVersion(),
      "service.instance.id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });

    const children = all.filter(({ parentSpanId }) => parentSpanId === root.spanId);
    // "execute" and "rate limit" run concurrently, so either may end first.
    const spans = children.toSorted((a, b) => a.name.localeCompare(b.name));
    const [authenticate, execute] = spans;
    expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
      ["authenticate", 1],
      ["execute", 1],
      ["rate limit", 1],
    ]);
    const statements = named(all, "SELECT");
    expect(statements.length).toBeGreaterThan(1);
    expect(new Set(statements.map(({ parentSpanId }) => parentSpanId))).toEqual(
      new Set([authenticate?.spanId, execute?.spanId]),
    );
    for (const { kind, attributes } of statements) {
      expect(kind).toBe(3);
      expect(attributes).toEqual({
        "db.system.name": "postgresql",
        "db.operation.name": "SELECT",
        "db.query.text": expect.stringMatching(/\$1/),
      });
    }
    // Each span starts at a whole millisecond and lasts by a monotonic clock: only durations compare.
    const lasted = (span: CollectedSpan) => BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano);
    for (const span of all) expect(lasted(span)).toBeLessThanOrEqual(lasted(root));
    const line = () => gateway.log().find((one) => one["request_id"] === id);
    await vi.waitUntil(() => line() !== undefined, SENT);
    expect(line()?.["trace_id"]).toBe(TRACE);
  });

  it("starts at the gateway without a valid traceparent, and its id is in the log", async () => {
    for (const traceparent of [undefined, `00-${"0".repeat(32)}-${PARENT}-01`, "nonsense"]) {
      const id = randomUUID();
      await gateway.rest("/market", key, {
        headers: { "X-Request-Id": id, ...(traceparent !== undefined && { traceparent }) },
      });
      const { root } = await spansOf(id);
      expect(root.parentSpanId).toBeUndefined();
      expect(root.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
      expect(gateway.log().find((one) => one["request_id"] === id)?.["trace_id"]).toBe(root.traceId);
    }
  });

  it("has the name of a GraphQL operation", async () => {
    const id = randomUUID();
    await gateway.call("/graphql", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-API-Key": key, "X-Request-Id": id },
      body: JSON.stringify({ query: "query Totals { emissions { totalCo2eTonnes } }" }),
    });
    const { root, all } = await spansOf(id);
    expect(root.name).toBe("POST /graphql");
    expect(root.attributes).toMatchObject({ "http.route": "/graphql", "graphql.operation.name": "Totals" });
    expect(named(all, "execute")).toHaveLength(1);
  });

  it("sets no error for a refusal and no route for an unknown path, and hides keys", async () => {
    const [refused, lost] = [randomUUID(), randomUUID()];
    await gateway.rest("/market", "wrong", { headers: { "X-Request-Id": refused } });
    await gateway.rest(`/${key.replace("_", "%5F")}?key=${key}`, key, { headers: { "X-Request-Id": lost } });
    const { root, all } = await spansOf(refused);
    expect([root.status.code, root.attributes["http.response.status_code"]]).toEqual([0, 401]);
    expect(named(all, "authenticate")[0]).toMatchObject({
      status: { code: 0 },
      attributes: { "error.type": "INVALID_KEY" },
    });
    const nowhere = (await spansOf(lost)).root;
    expect(nowhere.name).toBe("GET");
    expect(nowhere.attributes).toMatchObject({ "url.path": "/api/v1/ext/v1/cgw_live_…" });
    expect(nowhere.attributes).not.toHaveProperty("http.route");
  });

  it("contains no key, hash of a key, or tenant data", async () => {
    const { id, name } = await gateway.database.prisma.organization.findUniqueOrThrow({
      where: { slug: organization },
    });
    await gateway.stop();
    const everything = collector.bodies.join("\n");
    expect(everything).toContain("/v1/traces ");
    expect(findSecrets(everything)).toEqual([]);
    for (const text of [id, organization, name]) expect(everything).not.toContain(text);
    gateway = await startGateway();
  });
});

describe("a gateway that sends traces", () => {
  const database = useDatabase();
  const startWith = (url: string) => startGateway({ database, env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });

  it("sends all spans when it stops, but none of a trace its caller does not sample", async () => {
    const own = await startCollector();
    const other = await startWith(own.url);
    const headers = (flags: string) => ({ traceparent: `00-${TRACE}-${PARENT}-${flags}` });
    await other.rest("/market", "unrecorded", { headers: headers("00") });
    await other.rest("/emissions", "recorded", { headers: headers("01") });
    await other.call("/health/ready");
    await other.stop();
    expect(own.spans.map(({ name }) => name)).toEqual(["authenticate", "GET /ext/v1/emissions"]);
    await own.stop();
  });

  it("marks failed spans, with only the type of the error", async () => {
    const own = await startCollector();
    const broken = await openTestDatabase();
    const other = await startGateway({ database: broken, env: { OTEL_EXPORTER_OTLP_ENDPOINT: own.url } });
    const { key } = await makeKey(broken, await makeOrganization(broken));
    await broken.transaction((sql) => sql.script("ALTER TABLE api_keys RENAME COLUMN hash TO digest"));
    expect((await other.rest("/emissions", key)).status).toBe(500);
    await other.stop();
    const failed = own.spans.map(({ name, status, attributes, events }) => [
      name,
      status,
      attributes["error.type"],
      events,
    ]);
    expect(failed).toEqual([
      ["SELECT", { code: 2 }, "42703", []],
      ["authenticate", { code: 2 }, "42703", []],
      ["GET /ext/v1/emissions", { code: 2 }, "500", []],
    ]);
    await broken.close();
    await own.stop();
  });

  it.each(["refuses", "hangs", "is down"] as const)(
    "still serves while the collector %s, logs that once, and stops",
    async (behaviour) => {
      const own = await startCollector();
      if (behaviour === "is down") await own.stop();
      else own.behave(behaviour);
      const other = await startWith(own.url);
      const { key: enterprise } = await makeKey(database, await makeOrganization(database));
      // More spans than a batch and the queue hold.
      for (let round = 0; round < 30; round += 1) {
        const answers = await Promise.all(
          Array.from({ length: 30 }, () => other.rest("/market", enterprise)),
        );
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      }
      const traceLines = () => other.log().filter(({ msg }) => msg.startsWith("traces"));
      await vi.waitUntil(() => traceLines().length > 0, SENT);
      await other.stop();
      expect(traceLines().map(({ level, msg }) => [level, msg])).toEqual([
        [40, "traces cannot be sent; they are dropped until the collector accepts them"],
      ]);
      if (behaviour !== "is down") await own.stop();
    },
  );

  it("resumes once the collector accepts spans, and logs that once", async () => {
    const own = await startCollector();
    own.behave("refuses");
    const other = await startWith(own.url);
    const traceLines = () => other.log().filter(({ msg }) => msg.startsWith("traces"));
    await other.rest("/market");
    await vi.waitUntil(() => traceLines().length === 1, SENT);
    own.behave("accepts");
    await other.rest("/market");
    await vi.waitUntil(() => traceLines().length === 2, SENT);
    expect(traceLines()[1]).toMatchObject({ level: 30, msg: "traces can be sent again" });
    await other.stop();
    expect(traceLines()).toHaveLength(2);
    await own.stop();
  });
});

describe("serve", () => {
  it("stops even if the collector hangs", async () => {
    const own = await startCollector();
    own.behave("hangs");
    const serving = await startProcess({
      env: { DATA_DIR: await migratedFolder(), OTEL_EXPORTER_OTLP_ENDPOINT: own.url },
    });
    await serving.rest("/market");
    expect((await serving.stop()).code).toBe(0);
    expect(own.requests()).toBeGreaterThan(0);
    await own.stop();
  });
});
