import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { generateToken } from "../../src/access/secrets/token.js";
import type { CreatedKey } from "../../src/actions/keys/new-key.js";
import { migratedFolder } from "../support/command-database.js";
import { openTestDatabase } from "../support/database.js";
import { signUp } from "../support/people.js";
import { preload, startProcess } from "../support/process.js";
import { requestRaw, sendRaw } from "../support/raw.js";
import { findSecrets, type LogLine } from "../support/secrets.js";
import { type Gateway, makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";
import { useGateway } from "../support/use.js";

const BOUND = { timeout: 60_000, interval: 10 };

let created: CreatedKey;
let organization: string;

const gateway = useGateway();
beforeAll(async () => {
  const slug = await makeOrganization(gateway.database);
  organization = (await gateway.database.prisma.organization.findUniqueOrThrow({ where: { slug } })).id;
  created = await makeKey(gateway.database, slug, { tier: "pro" });
});

/** Waits for a request to end, and returns its log lines. */
async function linesOf(id: string, { log }: Gateway = gateway): Promise<[...LogLine[], LogLine]> {
  const find = () => log().filter(({ request_id }) => request_id === id);
  await vi.waitUntil(() => find().some(({ msg }) => msg === "request"), BOUND);
  return find() as [LogLine];
}

/** Sends a request with a new id, and returns its log line without time, duration and id. */
async function lineOf(send: (headers: Record<string, string>) => Promise<unknown>): Promise<LogLine> {
  const id = randomUUID();
  await send({ "X-Request-Id": id });
  const [{ time, duration_ms, request_id, ...line }, ...others] = await linesOf(id);
  expect(others).toEqual([]);
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(duration_ms).toBeGreaterThan(0);
  return line;
}

const post = (body: object, headers: Record<string, string>) =>
  gateway.call("/graphql", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

describe("the log line of a request", () => {
  it("has the key, endpoint, status, cost and duration of a REST request", async () => {
    expect(await lineOf((headers) => gateway.rest("/emissions", created.key, { headers }))).toEqual({
      level: 30,
      msg: "request",
      key_id: created.id,
      organization,
      tier: "pro",
      surface: "rest",
      operation: "emissions",
      method: "GET",
      path: "/api/v1/ext/v1/emissions",
      status: 200,
      cost: 4,
    });
  });

  it("has the name and cost of a GraphQL operation", async () => {
    const query = "query Totals($size: Int) { emissions { records(first: $size) { totalCount } } }";
    const line = await lineOf((headers) =>
      post({ query, variables: { size: 7 } }, { ...headers, "X-API-Key": created.key }),
    );
    const { cost } = await gateway.graphql(query, created.key, { size: 7 });
    expect(cost).toBeGreaterThan(0);
    expect(line).toEqual({
      level: 30,
      msg: "request",
      key_id: created.id,
      organization,
      tier: "pro",
      surface: "graphql",
      operation: "Totals",
      method: "POST",
      path: "/graphql",
      status: 200,
      cost,
    });
  });

  it("has the cost of an operation that is refused for it", async () => {
    const query = "{ credits { batches(first: 100) { nodes { retirements(first: 100) { id } } } } }";
    const line = await lineOf((headers) => post({ query }, { ...headers, "X-API-Key": created.key }));
    expect(line).toMatchObject({ status: 400, cost: 10_102, key_id: created.id });
  });

  it("omits the operation if the request names none, and the key if none was checked", async () => {
    const unnamed = { level: 30, msg: "request", surface: "graphql", method: "POST", path: "/graphql" };
    expect(await lineOf((headers) => post({ query: "{ __typename }" }, headers))).toEqual({
      ...unnamed,
      status: 200,
    });
    expect(await lineOf((headers) => post({ query: "query Broken {" }, headers))).toEqual({
      ...unnamed,
      status: 401,
    });
    expect(await lineOf((headers) => gateway.rest("/nothing", created.key, { headers }))).toEqual({
      level: 30,
      msg: "request",
      surface: "rest",
      method: "GET",
      path: "/api/v1/ext/v1/nothing",
      status: 404,
    });
  });

  it.each([
    ["revoked", { revokedAt: NOW }],
    ["expired", { expiresAt: NOW }],
  ])("has the id of a key that is %s, but only the endpoint for an unknown one", async (_why, ending) => {
    const slug = await makeOrganization(gateway.database);
    const ended = await makeKey(gateway.database, slug);
    await gateway.database.prisma.apiKey.update({ where: { id: ended.id }, data: ending });
    const named = await lineOf((headers) => gateway.rest("/market", ended.key, { headers }));
    expect(named).toMatchObject({ status: 401, operation: "market", key_id: ended.id, tier: "enterprise" });
    const unnamed = await lineOf((headers) => gateway.rest("/market", "no key at all", { headers }));
    expect(unnamed).toMatchObject({ status: 401, operation: "market" });
    expect(unnamed).not.toHaveProperty("key_id");
  });

  it("says if the client did not wait for the response", async () => {
    const id = randomUUID();
    const { hostname, port } = new URL(gateway.url);
    const body = ["Content-Type: application/json", "Content-Length: 100"];
    const head = ["POST /graphql HTTP/1.1", "Host: x", `X-Request-Id: ${id}`, ...body];
    const socket = connect(Number(port), hostname, () => socket.write(`${head.join("\r\n")}\r\n\r\n`));
    // The request on the socket, and the one for the metrics.
    await vi.waitUntil(
      async () => (await gateway.call<string>("/metrics")).body.includes("\nhttp_server_active_requests 2\n"),
      BOUND,
    );
    socket.resetAndDestroy();
    expect((await linesOf(id)).at(-1)).toMatchObject({ aborted: true });
  });

  it("has the ids of a person and their session, even after it has ended", async () => {
    const { user, organization, session, call } = await signUp(gateway, { kind: "browser" });
    const who = { user_id: user.id, session_id: session.id, organization: organization.id };
    const query = (headers: Record<string, string>) =>
      call("/graphql", { json: { query: "query Mine { organization { id } }" }, headers });
    expect(await lineOf(query)).toEqual({
      level: 30,
      msg: "request",
      ...who,
      surface: "graphql",
      operation: "Mine",
      method: "POST",
      path: "/graphql",
      status: 200,
      cost: expect.any(Number),
    });
    await gateway.database.prisma.session.update({ where: { id: session.id }, data: { revokedAt: NOW } });
    expect(await lineOf(query)).toMatchObject({ status: 401, ...who });
    for (const text of [user.email, user.name, session.token])
      expect(JSON.stringify(gateway.log())).not.toContain(text);
  });

  it("truncates an operation's name", async () => {
    const query = `query ${"n".repeat(5_000)} { __typename }`;
    expect(await lineOf((headers) => post({ query }, headers))).toMatchObject({ operation: "n".repeat(100) });
  });

  it("hides misplaced keys, and has only the path of the URL", async () => {
    const { key } = created;
    const send = (path: string) => (headers: Record<string, string>) =>
      requestRaw(`${gateway.url}${path}`, { headers: Object.entries(headers) });
    expect(await lineOf(send(`/ext/v1/market?api_key=${key}`))).toMatchObject({ path: "/ext/v1/market" });
    expect(await lineOf(send(`/ext/v1/%zz?api_key=${key}`))).toMatchObject({ path: "/ext/v1/%zz" });
    expect(await lineOf(send(`/ext/v1/${key}`))).toMatchObject({ path: "/ext/v1/cgw_live_…" });
    const query = encodeURIComponent(`query ${key} { __typename }`);
    expect(await lineOf(send(`/graphql?query=${query}&apollo=${key}`))).toMatchObject({ path: "/graphql" });
    expect(await lineOf((headers) => post({ query: `query ${key} { __typename }` }, headers))).toMatchObject({
      operation: "cgw_live_…",
    });
    expect(findSecrets(JSON.stringify(gateway.log()))).toEqual([]);
  });

  it.each([
    ["with an escaped prefix", (key: string) => key.replace("_", "%5F")],
    ["with its first letter escaped", (key: string) => key.replace("c", "%63")],
    ["escaped twice", (key: string) => key.replace("cgw", "%2563%2567%2577")],
    [
      "escaped throughout",
      (key: string) => [...key].map((one) => `%${one.charCodeAt(0).toString(16)}`).join(""),
    ],
    ["in upper case", (key: string) => key.toUpperCase()],
    ["in upper case, escaped", (key: string) => key.toUpperCase().replaceAll("_", "%5f")],
  ])("hides a key in the path, as does the response: %s", async (_how, write) => {
    const written = write(created.key);
    // The end of the key, as sent and in other spellings.
    const traces = [written, created.key, created.key.toUpperCase()].map((text) => text.slice(-20));
    const id = randomUUID();
    for (const path of ["/ext/v1/", "/ext/v1/emissions/", "/graphql/", "/"]) {
      const answer = await gateway.call(`${path}${written}`, { headers: { "X-Request-Id": id } });
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([
        404,
        expect.stringContaining("cgw_live_…"),
      ]);
      for (const trace of traces) expect(JSON.stringify(answer.body)).not.toContain(trace);
    }
    await linesOf(id);
    for (const trace of traces) expect(JSON.stringify(gateway.log())).not.toContain(trace);
  });

  it.each([
    ["session", "cgw_ses_…"],
    ["refresh", "cgw_ref_…"],
    ["invitation", "cgw_inv_…"],
    ["link", "cgw_lnk_…"],
    ["verifier", "cgw_vfy_…"],
  ] as const)("hides a token in the path, as does the response: %s", async (kind, hidden) => {
    const token = generateToken(kind);
    const id = randomUUID();
    for (const written of [token, token.replaceAll("_", "%255F"), token.toUpperCase()]) {
      const answer = await gateway.call(`/ext/v1/${written}`, { headers: { "X-Request-Id": id } });
      expect(answer.body).toMatchObject({ error: { message: `No such endpoint: /ext/v1/${hidden}` } });
    }
    expect((await linesOf(id)).map(({ path }) => path)).toEqual(Array(3).fill(`/ext/v1/${hidden}`));
  });

  it.each([
    ["a field's name", (key: string) => `{ ${key} }`],
    ["an argument", (key: string) => `{ benchmarks(sector: ${key}) { message } }`],
    ["a value of another type", (key: string) => `{ emissions { records(first: "${key}") { totalCount } } }`],
    ["an operation in upper case", (key: string) => `query ${key.toUpperCase()} { nothing }`],
    ["a document that cannot be parsed", (key: string) => `{ a "${key}" }`],
  ])("hides a key in an operation, as does the response: %s", async (_where, write) => {
    const { body } = await gateway.graphql(write(created.key), created.key);
    const operationName = { query: "{ __typename }", operationName: created.key };
    const unknown = await post(operationName, { "X-API-Key": created.key });
    for (const text of [body, unknown.body, gateway.log()].map((one) => JSON.stringify(one))) {
      expect(text).not.toContain(created.key.slice(-20));
      expect(text).not.toContain(created.key.toUpperCase().slice(-20));
    }
    expect(body.errors).toBeDefined();
  });

  it.each([
    ["quotes and an escaped line break", '/ext/v1/"},"status":200}\\n{"level":60'],
    ["percent-encoded control characters", "/ext/v1/%00%0a%1b%5b2J"],
  ])("is one line of JSON even if the path contains %s", async (_what, path) => {
    const id = randomUUID();
    const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: ${id}\r\n\r\n`;
    await sendRaw(gateway.url, head);
    expect((await linesOf(id)).at(-1)).toMatchObject({ level: 30, msg: "request", path });
  });
});

describe("a caller's traceparent", () => {
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const span = "00f067aa0ba902b7";

  it.each([`00-${trace}-${span}-01`, `00-${trace}-${span}-00`, `cc-${trace}-${span}-01-what-comes-later`])(
    "is in the request's log line: %s",
    async (traceparent) => {
      const line = await lineOf((headers) =>
        gateway.rest("/market", created.key, { headers: { ...headers, traceparent } }),
      );
      expect(line["trace_id"]).toBe(trace);
    },
  );

  it.each([
    "",
    trace,
    `ff-${trace}-${span}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${"0".repeat(32)}-${span}-01`,
    `00-${trace}-${"0".repeat(16)}-01`,
    `00-${trace}-${span}-01-more`,
    `00-${trace}-${span}-1`,
    `00-${trace}-${span}-01, 00-${trace}-${span}-01`,
  ])("is ignored if malformed: %s", async (traceparent) => {
    const line = await lineOf((headers) =>
      gateway.rest("/market", created.key, { headers: { ...headers, traceparent } }),
    );
    expect(line).not.toHaveProperty("trace_id");
    expect(line["status"]).toBe(200);
  });
});

describe("a failure", () => {
  it("is logged with the ids of its request and trace, without the statement's parameters", async () => {
    const database = await openTestDatabase();
    const broken = await startGateway({ database });
    try {
      const { key } = await makeKey(database, await makeOrganization(database));
      await database.transaction((sql) => sql.script("ALTER TABLE api_keys RENAME COLUMN hash TO digest"));
      const id = randomUUID();
      const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
      const headers = { "X-Request-Id": id, traceparent: `00-${trace}-00f067aa0ba902b7-01` };
      expect((await broken.rest("/emissions", key, { headers })).status).toBe(500);
      const [failure, request] = await linesOf(id, broken);
      expect(failure).toMatchObject({ level: 50, msg: "request failed", request_id: id, trace_id: trace });
      expect(Object.keys(failure["err"] as object)).toEqual(["type", "message", "code", "stack"]);
      expect(failure["err"]).toMatchObject({ code: "42703", message: expect.stringContaining("k.hash") });
      expect(request).toMatchObject({ status: 500, operation: "emissions" });
      expect(findSecrets(JSON.stringify(broken.log()))).toEqual([]);
    } finally {
      await broken.stop();
      await database.close();
    }
  });
});

describe("the last log lines of a process", () => {
  it.each([
    ["crashes", 'throw new Error("boom")', 1, ["serving", "request", "crashed"]],
    ["exits", "process.exit(3)", 3, ["serving", "request"]],
  ])("are not lost when it %s in the same turn", async (_how, end, expected, messages) => {
    const whenAnswered = `
      import { subscribe } from "node:diagnostics_channel";
      subscribe("http.server.request.start", ({ response }) => {
        response.once("close", () => process.nextTick(() => { ${end} }));
      })`;
    const dying = await startProcess({
      env: { DATA_DIR: await migratedFolder(), NODE_OPTIONS: preload(whenAnswered) },
    });
    await dying.rest("/emissions", created.key).catch(() => undefined);
    const { code } = await dying.ended;
    expect([code, dying.log().map(({ msg }) => msg)]).toEqual([expected, messages]);
  });
});
