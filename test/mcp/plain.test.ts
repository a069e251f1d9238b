import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gateway, makeKey, startSampleGateway } from "../support/server.js";

let gateway: Gateway;
let key: string;
beforeAll(async () => {
  ({ gateway, key } = await startSampleGateway());
});
afterAll(() => gateway.stop());

type Json = Readonly<Record<string, unknown>>;

/** A message to send. */
interface Sent {
  readonly headers: Json;
  readonly body: Json & { readonly params?: Json };
}

const REVISIONS = ["2026-07-28", "2025-11-25"] as const;

/** Returns a tool call as clients of a revision send it. */
const callOf = (revision: string, name: string, given: Json = {}): Sent =>
  messageOf(revision, "tools/call", { name, arguments: given });

/** Returns a message as clients of a revision send it. */
function messageOf(revision: string, method: string, params: { name?: string; arguments?: Json } = {}): Sent {
  const isCurrent = revision === "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    headers: {
      "X-API-Key": key,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": revision,
      ...(isCurrent && { "Mcp-Method": method, "Mcp-Name": params.name }),
    },
    body: {
      jsonrpc: "2.0",
      id: 7,
      method,
      params: { ...params, _meta: { progressToken: "p", ...(isCurrent && meta) } },
    },
  };
}

async function send({ headers, body }: Sent) {
  const answer = await gateway.call<unknown>("/mcp", {
    method: "POST",
    headers: JSON.parse(JSON.stringify(headers)),
    body: JSON.stringify(body),
  });
  const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
  return {
    // The SDK sends its answers in chunks.
    isPlain: answer.headers.has("content-length"),
    status: answer.status,
    type: answer.headers.get("content-type"),
    text: text
      .replaceAll(/"carbon-gateway\/request_id":"[^"]+"/g, `"carbon-gateway/request_id":""`)
      .replaceAll(/"(remaining|resets_in_s)":\d+/g, '"$1":0'),
  };
}

/** Returns the message with an unknown parameter, which the SDK ignores. */
const forSdk = ({ headers, body }: Sent): Sent => ({
  headers,
  body: { ...body, params: { ...body.params, unknown: true } },
});

/** Parses an answer; returns null if it is empty, as for a notification. */
const parsed = (text: string): unknown => JSON.parse(text.replace(/^event: message\ndata: /, "") || "null");

/** Expects the same answer with and without the SDK. Returns true if the gateway answered without it. */
async function expectSame(sent: Sent, label: string): Promise<boolean> {
  const { isPlain, text, ...own } = await send(sent);
  const { isPlain: isOther, text: others, ...answer } = await send(forSdk(sent));
  expect(own, label).toEqual(answer);
  expect(parsed(text), label).toEqual(parsed(others));
  expect(isOther && own.status === 200, label).toBe(false);
  return isPlain && own.status === 200;
}

type Part = "headers" | "body" | "params" | "_meta";

const with_ =
  (part: Part, change: Json) =>
  (sent: Sent): Sent => {
    const { headers, body } = sent;
    if (part === "headers") return { headers: { ...headers, ...change }, body };
    if (part === "body") return { headers, body: { ...body, ...change } };
    const { params } = body;
    if (part === "params") return { headers, body: { ...body, params: { ...params, ...change } } };
    const _meta = { ...(params?.["_meta"] as Json), ...change };
    return { headers, body: { ...body, params: { ...params, _meta } } };
  };

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const INFO = "io.modelcontextprotocol/clientInfo";

/** Values to set in a part of a message, one at a time. */
const VALUES: readonly (readonly [Part, name: string, values: readonly unknown[]])[] = [
  ["body", "id", [null, 1.5, "a", true, undefined]],
  ["body", "jsonrpc", ["1.0", undefined]],
  ["body", "result", [{}]],
  ["params", "cursor", ["", 5]],
  ["params", "name", [5, undefined, "", "no_such_tool", "=?base64?eA==?="]],
  ["params", "arguments", [[], "x", null, undefined, { limit: 0 }, { limit: null }]],
  ["params", "task", [{ ttl: 1 }]],
  ["params", "inputResponses", [{}]],
  ["params", "requestState", [5]],
  ["_meta", "progressToken", [5, {}, "", 1.5, undefined]],
  ["_meta", VERSION, ["2025-11-25", "2026-07-28", "2027-01-01", 5, undefined]],
  ["_meta", CAPABILITIES, [5, { sampling: 1 }, { sampling: {} }, undefined]],
  ["_meta", INFO, [5, {}, { name: "x" }, undefined]],
  ["_meta", "io.modelcontextprotocol/logLevel", ["shout"]],
  ["_meta", "io.modelcontextprotocol/related-task", [5]],
  ["_meta", "traceparent", ["x"]],
  ["_meta", "other", [{ deep: [1] }]],
  [
    "headers",
    "MCP-Protocol-Version",
    ["2024-11-05", "2025-11-25", "2026-07-28", "2027-01-01", "x", undefined],
  ],
  ["headers", "Mcp-Method", ["tools/list", "tools/call", " tools/call ", undefined]],
  ["headers", "Mcp-Name", ["get_facility", "=?base64?bGlzdF9mYWNpbGl0aWVz?=", "=?base64?!?=", undefined]],
  ["headers", "Accept", ["application/json", "*/*", undefined]],
  ["headers", "Content-Type", ["application/json; charset=utf-8", "application/merge-patch+json"]],
];
const CHANGES = VALUES.flatMap(([part, name, values]) =>
  values.map((value): readonly [Part, Json] => [part, { [name]: value }]),
);

describe("a call of a tool, and the list of tools, by POST /mcp", () => {
  it.each(REVISIONS)("is answered as the SDK would, by clients of %s", async (revision) => {
    const given: Readonly<Record<string, Json>> = {
      search_emission_records: { search: "ü", limit: 50 },
      get_facility: { code: "IN-PUNE" },
      get_emission_record: { id: "x" },
      list_facilities: { limit: 51 },
    };
    for (const name of ["get_emissions_summary", "get_market_prices", ...Object.keys(given)])
      expect(await expectSame(callOf(revision, name, given[name]), name)).toBe(true);
    for (const scopes of [["read:emissions"], ["read:market", "read:credits"]] as const) {
      const { key: other } = await makeKey(gateway.database, "demo", { scopes: [...scopes] });
      const sent = with_("headers", { "X-API-Key": other })(messageOf(revision, "tools/list"));
      expect(await expectSame(sent, scopes.join())).toBe(true);
    }
  });

  it.each(REVISIONS.flatMap((revision) => ["tools/call", "tools/list"].map((method) => [method, revision])))(
    "is refused as the SDK would, in every variation of a message %s of %s",
    async (method, revision) => {
      let plain = 0;
      const call = { name: "list_facilities", arguments: { limit: 1 } };
      for (const [part, change] of CHANGES) {
        const sent = with_(part, change)(messageOf(revision, method, method === "tools/call" ? call : {}));
        if (await expectSame(sent, `${part} ${JSON.stringify(change)}`)) plain += 1;
      }
      expect(plain).toBeGreaterThan(5);
      expect(plain).toBeLessThan(CHANGES.length * 0.6);
    },
  );

  it.each(REVISIONS)("has a type that the client accepts, for clients of %s", async (revision) => {
    for (const method of ["tools/list", "prompts/list"]) {
      const both = await send(messageOf(revision, method));
      const types = ["application/json", "text/event-stream"];
      const accepted = {
        "*/*": types,
        "application/json": types.slice(0, 1),
        "text/event-stream": types.slice(1),
        "text/*, application/json;q=0": types.slice(1),
      };
      for (const [Accept, allowed] of Object.entries(accepted)) {
        const answer = await send(with_("headers", { Accept })(messageOf(revision, method)));
        expect([answer.status, allowed], `${method} ${Accept}`).toEqual([
          200,
          expect.arrayContaining([answer.type]),
        ]);
        expect(parsed(answer.text)).toEqual(parsed(both.text));
      }
    }
  });
});
