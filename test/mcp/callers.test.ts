import { readFile } from "node:fs/promises";
import {
  buildASTSchema,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readOperations } from "../../src/catalogue/read.js";
import { KEY_SCOPES } from "../../src/domain/scopes.js";
import { snakeCase } from "../../src/domain/texts/snake-case.js";
import { OPERATIONS } from "../../src/generated/catalogue.js";
import { addFacility } from "../support/fixtures.js";
import { callMessage, connectMcp, type McpClient } from "../support/mcp.js";
import { signUp } from "../support/people.js";
import { requestRaw, sendRaw } from "../support/raw.js";
import { type Gateway, makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { CORS_ORIGINS: "https://app.example" } });
});
afterAll(() => gateway.stop());

const keyed = async (organization: string, settings: Parameters<typeof makeKey>[2] = {}) => {
  const { key } = await makeKey(gateway.database, organization, settings);
  return { key, ...(await connectMcp(gateway, { "X-API-Key": key })) };
};

/** Reads the requirements of each tool's fields from the schema: lists of scopes, each of which is sufficient. */
async function readScopes(): Promise<Map<string, readonly string[][]>> {
  const schema = buildASTSchema(parse(await readFile("schema.graphql", "utf8")));
  const requirementOf = (
    node: Pick<GraphQLObjectType | GraphQLField<unknown, unknown>, "astNode"> | null | undefined,
  ) => {
    const scopes = JSON.stringify(node?.astNode?.directives ?? []).match(/(?:read|write|manage):\w+/g);
    return scopes ? [scopes] : [];
  };
  return new Map(
    readOperations(OPERATIONS).flatMap(({ name, tool, document }) => {
      if (!tool) return [];
      const requirements: string[][] = [];
      const types = new TypeInfo(schema);
      const Field = () => {
        const field = types.getFieldDef();
        const type = getNamedType(field?.type);
        requirements.push(...requirementOf(field), ...(isObjectType(type) ? requirementOf(type) : []));
      };
      visit(document, visitWithTypeInfo(types, { Field }));
      return [[tool.name ?? snakeCase(name), requirements] as const];
    }),
  );
}

describe("a caller of POST /mcp", () => {
  it("sees and calls only the tools that its scopes allow", async () => {
    const organization = await makeOrganization(gateway.database);
    const needed = await readScopes();
    for (const scope of KEY_SCOPES) {
      const { client, call } = await keyed(organization, { scopes: [scope] });
      const { tools } = await client.listTools();
      const allowed = [...needed].filter(([, required]) => required.every((any) => any.includes(scope)));
      expect(tools.map(({ name }) => name)).toEqual(allowed.map(([name]) => name).toSorted());
      expect(tools.map(({ name }) => name)).toContain("get_organization");
      expect(allowed.some(([name]) => name === "list_events")).toBe(scope !== "read:benchmarks");
      for (const [name] of needed) {
        if (allowed.some(([one]) => one === name)) continue;
        await expect(call(name), `${scope} ${name}`).rejects.toThrow(`Unknown tool: ${name}`);
      }
      const { structuredContent } = await call("get_organization");
      expect(structuredContent.organization.scopes).toEqual([scope]);
      await client.close();
    }
  });

  it("gets only the events that its scopes allow, from a day or after an event", async () => {
    const owner = await signUp(gateway, { kind: "token" });
    const organization = owner.organization.slug;
    const create = async (path: string, json: object) =>
      expect((await owner.call(path, { method: "POST", json })).status).toBe(201);
    await create("/v1/facilities", { code: "F", name: "Secret name", country: "DE" });
    await create("/v1/compliance/deadlines", {
      framework: "EU_CBAM",
      title: "Secret title",
      due_date: "2027-01-31",
    });
    await create("/v1/facilities", { code: "G", name: "Secret name", country: "DE" });
    await create("/v1/api-keys", { name: "Secret key", scopes: ["read:market"], tier: "free" });
    const ask = async ({ call }: Pick<McpClient, "call">, given = {}) =>
      (await call("list_events", given)).structuredContent;
    const typesOf = ({ items }: { items: { type: string }[] }) => items.map(({ type }) => type);
    const key = await keyed(organization, { scopes: ["read:emissions"] });
    const today = NOW.toISOString().slice(0, 10);
    const first = await ask(key, { after: today, limit: 1 });
    expect(first).toEqual({
      items: [
        {
          id: expect.stringMatching(/^\d+-[0-9a-f]{16}$/),
          type: "facility.created",
          subject: expect.stringMatching(/^facility\/[0-9a-f-]{36}$/),
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        },
      ],
      next_cursor: first.items[0].id,
      has_more: true,
      as_of: { seq: expect.any(Number) },
    });
    const second = await ask(key, { after: first.next_cursor });
    expect([typesOf(second), second.has_more]).toEqual([["facility.created"], false]);
    expect(typesOf(await ask(key, { types: ["deadline.*"] }))).toEqual([]);
    const person = await connectMcp(gateway, { Authorization: `Bearer ${owner.session.token}` });
    const all = await ask(person, { after: today, types: ["facility.*", "deadline.*", "api_key.created"] });
    expect(typesOf(all)).toEqual([
      "facility.created",
      "deadline.created",
      "facility.created",
      "api_key.created",
      "api_key.created",
    ]);
    expect(JSON.stringify(all)).not.toContain("Secret");
    await key.client.close();
    await person.client.close();
  });

  it("authenticates by a key or by a session's token, but not by a cookie", async () => {
    const person = await signUp(gateway, { kind: "token" });
    const { client, call } = await connectMcp(gateway, { Authorization: `Bearer ${person.session.token}` });
    expect((await call("get_organization")).structuredContent.organization.name).toBe(
      person.organization.name,
    );
    await client.close();
    const refused = await post({ Cookie: `__Host-cgw_session=${person.session.token}` });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toBe(
      `ApiKey error="missing", Bearer resource_metadata="${gateway.url}/.well-known/oauth-protected-resource/mcp"`,
    );
    expect(refused.body).toMatchObject({ jsonrpc: "2.0", error: { data: { code: "INVALID_KEY" } } });
  });

  it.each(["mcp", "rest", "graphql"] as const)(
    "has one budget for all surfaces: the 101st call of a Free key is refused on each after 100 by %s",
    async (first) => {
      const organization = await makeOrganization(gateway.database);
      const { key, client } = await keyed(organization, { tier: "free" });
      const { headers, body } = callMessage("list_facilities", {});
      const surfaces = {
        mcp: () => gateway.call("/mcp", { method: "POST", headers: { ...headers, "X-API-Key": key }, body }),
        rest: () => gateway.rest("/emissions", key),
        graphql: () => gateway.graphql("{ organization { name } }", key),
      };
      for (let sent = 0; sent < 100; sent += 1) {
        const { headers: answered } = await surfaces[first]();
        expect(answered.get("x-ratelimit-remaining")).toBe(String(99 - sent));
      }
      expect((await surfaces.mcp()).body).toMatchObject({
        result: {
          isError: true,
          content: [{ text: expect.stringMatching(/Wait \d+ s before you retry\.$/) }],
          _meta: {
            "carbon-gateway/error": { code: "RATE_LIMIT_EXCEEDED", retry_after_s: expect.any(Number) },
          },
        },
      });
      expect([(await surfaces.rest()).status, (await surfaces.graphql()).status]).toEqual([429, 429]);
      await expect(client.getPrompt({ name: "find_gaps", arguments: { year: "2025" } })).rejects.toThrow(
        /429|Rate limit/,
      );
      // Lists count, too.
      await expect(client.listTools()).rejects.toThrow(/429|Rate limit/);
      await client.close();
    },
  );

  it("limits the messages that do not count against the budget to 120 a minute for each caller", async () => {
    const keys = await Promise.all(
      [1, 2].map(async () => (await makeKey(gateway.database, await makeOrganization(gateway.database))).key),
    );
    const send = async (key: string | undefined, method: string) => {
      const headers = {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "X-API-Key": key ?? "",
      };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method });
      return (await gateway.call("/mcp", { method: "POST", headers, body })).status;
    };
    for (let sent = 0; sent < 120; sent += 1) expect(await send(keys[0], "ping")).toBe(200);
    expect([await send(keys[0], "ping"), await send(keys[0], "initialize")]).toEqual([429, 429]);
    // Neither other messages nor other callers are affected.
    expect([await send(keys[0], "tools/list"), await send(keys[1], "ping")]).toEqual([200, 200]);
  });

  it("has refused calls counted as refused, as on other surfaces", async () => {
    const own = await startGateway({ database: gateway.database });
    const { key, id } = await makeKey(own.database, await makeOrganization(own.database), { tier: "free" });
    const { headers, body } = callMessage("list_facilities", {});
    for (let sent = 0; sent < 101; sent += 1)
      await own.call("/mcp", { method: "POST", headers: { ...headers, "X-API-Key": key }, body });
    await own.stop();
    const usage = await gateway.database.select(
      "SELECT sum(requests)::integer AS requests, sum(refused)::integer AS refused FROM api_key_usage WHERE key_id = $1::uuid",
      [id],
    );
    expect(usage).toEqual([{ requests: 100, refused: 1 }]);
  });
});

const post = (
  headers: Record<string, string>,
  body: unknown = { jsonrpc: "2.0", id: 1, method: "tools/list" },
  to = gateway,
) =>
  to.call("/mcp", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-11-25",
      ...headers,
    },
    body: JSON.stringify(body),
  });

describe("POST /mcp", () => {
  it("refuses other methods, batches, other content types, and pages of other sites", async () => {
    const { key } = await makeKey(gateway.database, await makeOrganization(gateway.database));
    const own = { "X-API-Key": key };
    expect((await gateway.call("/mcp", { headers: own })).status).toBe(405);
    expect((await gateway.call("/mcp", { method: "DELETE", headers: own })).headers.get("allow")).toBe(
      "POST, OPTIONS",
    );
    expect((await post(own)).status).toBe(200);
    expect((await post({ ...own, Origin: gateway.url })).status).toBe(200);
    expect((await post({ ...own, Origin: "https://app.example" })).status).toBe(200);
    expect((await post({ ...own, Origin: "https://evil.example" })).status).toBe(403);
    expect((await post(own, [{ jsonrpc: "2.0", id: 1, method: "ping" }])).status).toBe(400);
    expect((await post({ ...own, "Content-Type": "text/plain" })).status).toBe(415);
    expect((await post({})).status).toBe(401);
    expect((await post({ "X-API-Key": key.slice(0, -1) })).status).toBe(401);
  });

  it("logs and counts a call by tool, caller, client and outcome, without arguments or answer", async () => {
    const logging = await startGateway({ database: gateway.database });
    const organization = await makeOrganization(gateway.database);
    const { key, id } = await makeKey(gateway.database, organization, { tier: "pro" });
    await addFacility(gateway.database, organization, { code: "SECRET-CODE", name: "Secret plant" });
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
    const clientInfo = { name: "c".repeat(70), version: "1.2345678901" };
    for (const [name, given, header, meta] of [
      ["list_facilities", { search: "secret" }, { traceparent }, { traceparent: "x" }],
      ["list_facilities", { limit: 0 }, {}, { traceparent }],
      ["rm_rf", { search: "secret" }, { traceparent }, { traceparent: 5 }],
    ] as const) {
      const _meta = { ...meta, "io.modelcontextprotocol/clientInfo": clientInfo };
      const params = { name, arguments: given, _meta };
      await post(
        { "X-API-Key": key, ...header },
        { jsonrpc: "2.0", id: 1, method: "tools/call", params },
        logging,
      );
    }
    const { body } = await logging.call<string>("/metrics");
    expect(body.match(/^gateway_mcp_calls_total\{.*/gm)?.toSorted()).toEqual([
      'gateway_mcp_calls_total{tool="list_facilities",outcome="VALIDATION_FAILED"} 1',
      'gateway_mcp_calls_total{tool="list_facilities",outcome="ok"} 1',
      'gateway_mcp_calls_total{tool="other",outcome="UNKNOWN_TOOL"} 1',
    ]);
    expect(body).toMatch(/^gateway_mcp_call_seconds_count\{tool="list_facilities"\} 2$/m);
    await logging.stop();
    const lines = logging.log().filter(({ surface }) => surface === "mcp");
    const line = {
      time: expect.any(String),
      level: expect.any(Number),
      msg: "request",
      request_id: expect.any(String),
      trace_id: trace,
      key_id: id,
      organization: expect.any(String),
      tier: "pro",
      surface: "mcp",
      method: "POST",
      path: "/mcp",
      status: 200,
      duration_ms: expect.any(Number),
      client: `${"c".repeat(70)} 1.2345678`,
    };
    expect(lines).toEqual([
      { ...line, operation: "list_facilities", cost: expect.any(Number), outcome: "ok" },
      { ...line, operation: "list_facilities", outcome: "VALIDATION_FAILED" },
      { ...line, operation: "tools/call", outcome: "UNKNOWN_TOOL" },
    ]);
    const usage = await gateway.database.select<{ requests: number }>(
      "SELECT sum(requests)::integer AS requests FROM api_key_usage WHERE key_id = $1::uuid",
      [id],
    );
    expect(usage).toEqual([{ requests: 3 }]);
  });

  it("closes the connection if the client requests it, in earlier revisions too", async () => {
    const { key } = await makeKey(gateway.database, await makeOrganization(gateway.database));
    const answer = await requestRaw(`${gateway.url}/mcp`, {
      method: "POST",
      headers: [
        ["X-API-Key", key],
        ["Content-Type", "application/json"],
        ["Accept", "application/json, text/event-stream"],
        ["MCP-Protocol-Version", "2025-11-25"],
      ],
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    expect([answer.status, answer.headers["connection"]]).toEqual([200, ["close"]]);
  });

  it("is called under local host names alone, unless a proxy leads to it", async () => {
    const PUBLIC_URL = "https://gateway.example";
    const proxied = await startGateway({ env: { PUBLIC_URL }, database: gateway.database });
    const { port } = new URL(gateway.url);
    for (const [url, host, status] of [
      [gateway.url, `localhost:${port}`, 401],
      [gateway.url, "evil.example", 403],
      [gateway.url, `evil.example:${port}`, 403],
      // A proxy may send any name.
      [proxied.url, "upstream", 401],
    ] as const) {
      const request = `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
      expect([host, (await sendRaw(url, request)).status]).toEqual([host, status]);
    }
    await proxied.stop();
  });

  it("does not exist if it is switched off", async () => {
    const off = await startGateway({ env: { MCP: "false" }, database: gateway.database });
    expect((await off.call("/mcp", { method: "POST" })).status).toBe(404);
    await off.stop();
  });
});
