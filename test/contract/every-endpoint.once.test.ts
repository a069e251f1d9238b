import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KEY_SCOPES } from "../../src/domain/scopes.js";
import { REST_PREFIXES } from "../../src/http/surface.js";
import { endpoints } from "../../src/rest/ext/index.js";
import { addBenchmark, addTenantData } from "../support/fixtures.js";
import { type Gateway, makeKey, startGateway } from "../support/server.js";

// Rules of all endpoints. A new file in rest/endpoints/ is tested here once it is in the list.

const REQUEST_ID = "3f0c1a52-6f4e-4c8b-9d57-2b8a9c0e7d18";
const META = { request_id: REQUEST_ID, timestamp: "2026-11-20T10:00:00.000Z", version: "1.0" };
const HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "private, no-store",
  vary: "X-API-Key",
  "x-content-type-options": "nosniff",
  "x-request-id": REQUEST_ID,
};

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  await addTenantData(gateway.database, { name: "ACME", digits: 1_234, framework: "CDP" });
  await addBenchmark(gateway.database);
});
afterAll(() => gateway.stop());

const newKey = async (scopes: readonly (typeof KEY_SCOPES)[number][] = KEY_SCOPES) =>
  (await makeKey(gateway.database, "acme", { tier: "free", scopes })).key;

async function ask(prefix: string, path: string, key = "", method = "GET") {
  const headers = { "X-API-Key": key, "X-Request-Id": REQUEST_ID };
  const answer = await fetch(`${gateway.url}${prefix}${path}`, { method, headers });
  const text = await answer.text();
  const named = (name: string) => answer.headers.get(name);
  expect(Object.fromEntries(Object.keys(HEADERS).map((name) => [name, named(name)]))).toEqual(HEADERS);
  return { status: answer.status, named, body: text === "" ? "" : JSON.parse(text) };
}
const failure = (code: string, message: string) => ({
  success: false,
  data: null,
  error: { code, message },
  meta: META,
});

it("there are as many endpoints as scopes", () => {
  expect(endpoints).toHaveLength(KEY_SCOPES.length);
});

describe.each(REST_PREFIXES.flatMap((prefix) => endpoints.map((endpoint) => ({ prefix, ...endpoint }))))(
  "GET $prefix$path",
  ({ prefix, path, scope }) => {
    it("wraps its data in the envelope, the same at both prefixes, and reports the remaining budget", async () => {
      const { status, named, body } = await ask(prefix, path, await newKey());
      expect(status).toBe(200);
      expect(body).toEqual({ success: true, data: expect.any(Object), error: null, meta: META });
      expect(Object.keys(body)).toEqual(["success", "data", "error", "meta"]);
      expect(Object.keys(body.data).length).toBeGreaterThan(0);
      expect([named("x-ratelimit-limit"), named("x-ratelimit-remaining")]).toEqual(["100", "99"]);
      for (const other of REST_PREFIXES) expect((await ask(other, path, await newKey())).body).toEqual(body);
    });

    it("is refused without a key, and with one that lacks the scope, which costs budget", async () => {
      const without = await ask(prefix, path);
      expect([without.status, without.named("www-authenticate"), without.named("ratelimit")]).toEqual([
        401,
        'ApiKey error="missing"',
        null,
      ]);
      expect(without.body).toEqual(failure("INVALID_KEY", "No API key. Send it in the X-API-Key header."));

      const others = await newKey(KEY_SCOPES.filter((name) => name !== scope));
      const lacking = await ask(prefix, path, others);
      expect([
        lacking.status,
        lacking.named("www-authenticate"),
        lacking.named("x-ratelimit-remaining"),
      ]).toEqual([401, 'ApiKey error="insufficient_scope"', "99"]);
      expect(lacking.body).toEqual(failure("INVALID_KEY", `The API key lacks the scope ${scope}.`));
    });

    it("is read-only: HEAD has no body, POST is 405 and costs nothing", async () => {
      const key = await newKey();
      const head = await ask(prefix, path, key, "HEAD");
      expect([head.status, head.body]).toEqual([200, ""]);
      const post = await ask(prefix, path, key, "POST");
      expect([post.status, post.named("allow"), post.named("ratelimit")]).toEqual([
        405,
        "GET, HEAD, OPTIONS",
        null,
      ]);
      expect(post.body).toEqual(failure("METHOD_NOT_ALLOWED", "POST is not allowed here. Use GET."));
    });
  },
);
