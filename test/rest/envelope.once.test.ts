import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type RawAnswer, requestRaw, sendRaw } from "../support/raw.js";
import { type Gateway, makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";
import { useGateway } from "../support/use.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ORIGIN = "https://dashboard.example.com";

let acme: string;
let key: string;

const gateway = useGateway();
beforeAll(async () => {
  acme = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, acme));
});
beforeEach(() => gateway.setNow(NOW));

const fetchAt = (path: string, init: RequestInit = {}) => fetch(`${gateway.url}${path}`, init);
const withKey = (value = key) => ({ "X-API-Key": value });

/** The whole body of an error, with any request id. */
const failure = (code: string, message: unknown = expect.any(String)) => ({
  success: false,
  data: null,
  error: { code, message },
  meta: { request_id: expect.stringMatching(UUID), timestamp: NOW.toISOString(), version: "1.0" },
});

const budgetHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.includes("ratelimit"));

/** Reads how many requests a key has left; the read itself costs one. */
async function leftAfterAsking(freeKey: string): Promise<string | null> {
  return (await gateway.rest("/emissions", freeKey)).headers.get("x-ratelimit-remaining");
}

describe("the envelope", () => {
  it("has these keys in this order, on success", async () => {
    const { body } = await gateway.rest("/emissions", key);
    expect(Object.keys(body)).toEqual(["success", "data", "error", "meta"]);
    expect(Object.keys(body.meta)).toEqual(["request_id", "timestamp", "version"]);
  });

  it("has the same keys in the same order, on failure", async () => {
    const { body } = await gateway.rest("/emissions");
    expect(Object.keys(body)).toEqual(["success", "data", "error", "meta"]);
    expect(Object.keys(body.error ?? {})).toEqual(["code", "message"]);
    expect(Object.keys(body.meta)).toEqual(["request_id", "timestamp", "version"]);
  });

  it("takes its timestamp from the gateway's clock", async () => {
    gateway.setNow(new Date("2031-02-03T04:05:06.007Z"));
    expect((await gateway.rest("/emissions", key)).body.meta.timestamp).toBe("2031-02-03T04:05:06.007Z");
    expect((await gateway.rest("/emissions")).body.meta.timestamp).toBe("2031-02-03T04:05:06.007Z");
  });

  it.each([
    ["200", "/emissions", "GET", true, 200],
    ["401", "/emissions", "GET", false, 401],
    ["404", "/nothing", "GET", true, 404],
    ["405", "/emissions", "DELETE", true, 405],
  ])(
    "has the same type for a %s, and forbids storing or sharing it between keys",
    async (_name, path, method, keyed, status) => {
      const answer = await fetchAt(`/ext/v1${path}`, { method, headers: keyed ? withKey() : {} });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(answer.headers.get("cache-control")).toBe("private, no-store");
      expect(answer.headers.get("vary")).toBe("X-API-Key");
    },
  );
});

describe("the request id", () => {
  it.each([
    ["a UUID", "3f0c1a52-6f4e-4c8b-9d57-2b8a9c0e7d11"],
    ["a UUID of another version", "018f3a5e-7c1b-7d2e-8a4f-1234567890ab"],
    ["a UUID in upper case", "3F0C1A52-6F4E-4C8B-9D57-2B8A9C0E7D11"],
  ])("is the caller's if it is %s", async (_what, id) => {
    for (const caller of [key, undefined]) {
      const { headers, body } = await gateway.rest("/emissions", caller, { headers: { "X-Request-Id": id } });
      expect(headers.get("x-request-id")).toBe(id);
      expect(body.meta.request_id).toBe(id);
    }
  });

  it.each([
    ["nothing", ""],
    ["a word", "my-request"],
    ["a UUID with something after it", "3f0c1a52-6f4e-4c8b-9d57-2b8a9c0e7d11x"],
    ["a UUID without hyphens", "3f0c1a526f4e4c8b9d572b8a9c0e7d11"],
    ["a UUID in braces", "{3f0c1a52-6f4e-4c8b-9d57-2b8a9c0e7d11}"],
    ["very long", "3".repeat(5_000)],
  ])("is a new one if the caller's is %s", async (_what, id) => {
    const { headers, body } = await gateway.rest("/emissions", key, { headers: { "X-Request-Id": id } });
    expect(body.meta.request_id).toMatch(UUID);
    expect(headers.get("x-request-id")).toBe(body.meta.request_id);
  });

  it("is a new one if the caller sends two", async () => {
    const id = "3f0c1a52-6f4e-4c8b-9d57-2b8a9c0e7d11";
    const { headers, body } = await requestRaw(`${gateway.url}/ext/v1/emissions`, {
      headers: [
        ["X-Request-Id", id],
        ["X-Request-Id", id],
      ],
    });
    const { request_id } = JSON.parse(body).meta;
    expect(request_id).toMatch(UUID);
    expect(request_id).not.toBe(id);
    expect(headers["x-request-id"]).toEqual([request_id]);
  });

  it("is different for every request", async () => {
    const ids = new Set<string>();
    for (let i = 0; i < 3; i += 1) ids.add((await gateway.rest("/emissions", key)).body.meta.request_id);
    expect(ids.size).toBe(3);
  });
});

describe("/ext/v1/*", () => {
  it("answers HEAD with the status and headers of GET, at the cost of one request", async () => {
    const free = await makeKey(gateway.database, acme, { tier: "free" });
    const get = await requestRaw(`${gateway.url}/ext/v1/emissions`, { headers: [["X-API-Key", free.key]] });
    const head = await requestRaw(`${gateway.url}/ext/v1/emissions`, {
      method: "HEAD",
      headers: [["X-API-Key", free.key]],
    });
    expect([head.status, head.body]).toEqual([200, ""]);
    expect(head.headers["content-type"]).toEqual(["application/json; charset=utf-8"]);
    expect(head.headers["content-length"]).toEqual([String(Buffer.byteLength(get.body))]);
    expect(head.headers["x-ratelimit-remaining"]).toEqual(["98"]);
    expect(await leftAfterAsking(free.key)).toBe("97");
  });

  it("answers HEAD without a key with 401, without a body", async () => {
    const { status, headers, body } = await requestRaw(`${gateway.url}/ext/v1/emissions`, { method: "HEAD" });
    expect([status, headers["www-authenticate"], body]).toEqual([401, ['ApiKey error="missing"'], ""]);
  });

  it.each(["/api/v1/ext/v1", "/ext/v1"])(
    "answers OPTIONS under %s with the allowed methods, without a key and free of charge",
    async (prefix) => {
      const free = await makeKey(gateway.database, acme, { tier: "free" });
      const without = await fetchAt(`${prefix}/market`, { method: "OPTIONS" });
      const withOne = await fetchAt(`${prefix}/market`, { method: "OPTIONS", headers: withKey(free.key) });
      for (const answer of [without, withOne]) {
        expect(answer.status).toBe(204);
        expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
        expect(budgetHeaders(answer.headers)).toEqual([]);
        expect(await answer.text()).toBe("");
      }
      expect(await leftAfterAsking(free.key)).toBe("99");
    },
  );

  it("serves GET with any body", async () => {
    const { status, body } = await requestRaw(`${gateway.url}/ext/v1/emissions`, {
      headers: [
        ["X-API-Key", key],
        ["Content-Type", "application/json"],
      ],
      body: '{"not": json',
    });
    expect([status, JSON.parse(body).success]).toEqual([200, true]);
  });

  it.each(["?", "?from=2020-01-01&period=all", "?a[b]=c&a=d", "?%E0%A4%A", "?__proto__=1&q=%00"])(
    "ignores query parameters: %s",
    async (query) => {
      const { status, body } = await gateway.rest(`/emissions${query}`, key);
      expect([status, body.data]).toEqual([200, (await gateway.rest("/emissions", key)).body.data]);
    },
  );
});

describe("a path with unneeded percent-encoding", () => {
  it("is that of the same resource (RFC 3986, section 6.2.2.2)", async () => {
    const { key } = await makeKey(gateway.database, acme);
    for (const path of ["/api/v1/ext/v1/%65missions", "/ext/v1/emission%73", "/ext/%761/%65missions"])
      expect((await fetchAt(path, { headers: withKey(key) })).status).toBe(200);
    expect((await fetchAt("/ext/v1%2Femissions", { headers: withKey(key) })).status).toBe(404);
  });
});

describe("an unknown path or method", () => {
  it("with a double slash gets the path without it", async () => {
    const answer = await fetchAt("/api/v1//ext/v1/emissions");
    const message =
      "No such endpoint: /api/v1//ext/v1/emissions. Send it without the double slash: /api/v1/ext/v1/emissions";
    expect(await answer.json()).toEqual(failure("NOT_FOUND", message));
  });

  it.each([
    "/api/v1/ext/v1",
    "/api/v1/ext/v1/nothing",
    "/api/v1/ext/v1/Emissions",
    "/api/v1/ext/v1/emissions/2026",
    "/ext/v1/",
    "/ext/v1/nothing",
    "/api/v1/emissions",
  ])("%s gets 404 in the envelope, without a key and free of charge", async (path) => {
    const free = await makeKey(gateway.database, acme, { tier: "free" });
    for (const headers of [{}, withKey(free.key)]) {
      const answer = await fetchAt(path, { headers });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual(failure("NOT_FOUND", `No such endpoint: ${path}`));
      expect(budgetHeaders(answer.headers)).toEqual([]);
    }
    expect(await leftAfterAsking(free.key)).toBe("99");
  });

  it.each(["POST", "PUT", "DELETE", "PATCH"])(
    "%s gets 405 in the envelope, without a key and free of charge",
    async (method) => {
      const free = await makeKey(gateway.database, acme, { tier: "free" });
      for (const prefix of ["/api/v1/ext/v1", "/ext/v1"]) {
        for (const headers of [{}, withKey(free.key)]) {
          const answer = await fetchAt(`${prefix}/credits`, { method, headers, body: "{" });
          expect(answer.status).toBe(405);
          expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
          expect(await answer.json()).toEqual(
            failure("METHOD_NOT_ALLOWED", `${method} is not allowed here. Use GET.`),
          );
          expect(budgetHeaders(answer.headers)).toEqual([]);
        }
      }
      expect(await leftAfterAsking(free.key)).toBe("99");
    },
  );
});

describe("a read-only page", () => {
  it.each(["/health/live", "/health/ready", "/metrics", "/openapi.json", "/graphql/schema.graphql"])(
    "answers 405 to other methods, and lists the allowed ones: %s",
    async (path) => {
      for (const method of ["POST", "PUT", "DELETE"]) {
        const answer = await fetchAt(path, { method });
        expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
      }
      const options = await fetchAt(path, { method: "OPTIONS" });
      expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
      expect((await fetchAt(path, { method: "HEAD" })).status).toBe(200);
    },
  );
});

describe("a malformed request", () => {
  const hosts = (...names: string[]) =>
    `GET /ext/v1/emissions HTTP/1.1\r\n${names.map((name) => `Host: ${name}\r\n`).join("")}Connection: close\r\n\r\n`;
  const expectFailure = (answer: RawAnswer, status: number, code: string) => {
    expect(answer.status).toBe(status);
    const body = JSON.parse(answer.body);
    expect(body).toEqual(failure(code));
    expect(answer.headers["x-request-id"]).toEqual([body.meta.request_id]);
    expect(answer.headers["content-type"]).toEqual(["application/json; charset=utf-8"]);
    expect(answer.headers["content-length"]).toEqual([String(Buffer.byteLength(answer.body))]);
    expect(answer.headers["cache-control"]).toEqual(["private, no-store"]);
    expect(answer.headers["vary"]).toEqual(["X-API-Key"]);
  };

  it.each(["/api/v1/ext/v1/%E0%A4%A", "/api/v1/ext/v1/emissions%", "/ext/v1/%zz", "/ext/v1/%C3%28"])(
    "gets 400 in the envelope for malformed percent-encoding: %s",
    async (path) => {
      const bytes = `GET ${path} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n`;
      expectFailure(await sendRaw(gateway.url, bytes), 400, "BAD_REQUEST");
    },
  );

  it("gets 431 in the envelope for a header of 20 kB", async () => {
    const answer = await requestRaw(`${gateway.url}/ext/v1/emissions`, {
      headers: [["X-Long", "x".repeat(20_000)]],
    });
    expectFailure(answer, 431, "BAD_REQUEST");
  });

  it.each([
    ["rubbish", "\x16\x03\x01 this is not HTTP\r\n\r\n"],
    ["a method that does not exist", "FETCH /ext/v1/emissions HTTP/1.1\r\nHost: gateway\r\n\r\n"],
    ["a header without a name", "GET /ext/v1/emissions HTTP/1.1\r\nHost: gateway\r\n: x\r\n\r\n"],
    [
      "two lengths",
      "GET /ext/v1/emissions HTTP/1.1\r\nHost: gateway\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ],
    ["no host", "GET /ext/v1/emissions HTTP/1.1\r\nConnection: close\r\n\r\n"],
    ["two hosts", hosts("a.example", "b.example")],
    ["the same host twice", hosts("a.example", "a.example")],
    ["two hosts in HTTP/1.0", hosts("a.example", "a.example").replace("HTTP/1.1", "HTTP/1.0")],
    ["an empty host", hosts("")],
    ["a host with a path", hosts("a.example/b")],
    ["a host with a user", hosts("me@a.example")],
    ["a host with a space", hosts("a.example b.example")],
    ["a host with a port that is not a number", hosts("a.example:http")],
    ["an IPv6 address without its closing bracket", hosts("[::1")],
    [
      "an invalid absolute URL",
      "GET http://[/api/v1/ext/v1/emissions HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n",
    ],
  ])("gets 400 in the envelope for %s", async (_what, bytes) => {
    expectFailure(await sendRaw(gateway.url, bytes), 400, "BAD_REQUEST");
  });

  it.each(["a.example", "A.example:8080", "a.example:", "127.0.0.1:80", "[::1]:4000", "%61.example", "a_b"])(
    "does not include this valid host: %s",
    async (host) => expect((await sendRaw(gateway.url, hosts(host))).status).toBe(401),
  );

  it("does not include a URL with an impossible port", async () => {
    const bytes = "GET http://a:99999/v1/auth/sso/a/start HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    expect((await sendRaw(gateway.url, bytes)).status).toBe(404);
  });

  it("does not include HTTP/1.0 without a host", async () => {
    const bytes = "GET /ext/v1/emissions HTTP/1.0\r\n\r\n";
    expect((await sendRaw(gateway.url, bytes)).status).toBe(401);
  });

  it("closes the connection after the response to the request before it", async () => {
    const first = `GET /ext/v1/emissions HTTP/1.1\r\nHost: gateway\r\nX-API-Key: ${key}\r\n\r\n`;
    const { status, headers, body } = await sendRaw(gateway.url, `${first}rubbish\r\n\r\n`);
    expect([status, headers["content-length"]]).toEqual([200, [String(Buffer.byteLength(body))]]);
    expect(JSON.parse(body).success).toBe(true);
  });

  it("does not truncate the last response of the connection", async () => {
    const { body, headers } = await sendRaw(
      gateway.url,
      "GET /graphiql/main.js HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\nrubbish",
    );
    const length = Buffer.byteLength(body);
    expect(headers["content-length"]).toEqual([String(length)]);
    // More than the socket buffers hold.
    expect(length).toBeGreaterThan(1_000_000);
  });

  it("does not affect later requests", async () => {
    await sendRaw(gateway.url, "\r\n\r\nrubbish\r\n\r\n");
    expect((await gateway.rest("/emissions", key)).status).toBe(200);
  });
});

describe("a client that closes its sending side at once", () => {
  it.each(["Connection: close\r\n", ""])("still gets its response, with the header %j", async (header) => {
    // The gateway has to look up a new key in the database first.
    const { key: fresh } = await makeKey(gateway.database, acme);
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.end(`GET /ext/v1/market HTTP/1.1\r\nHost: gateway\r\nX-API-Key: ${fresh}\r\n${header}\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});

describe("CONNECT", () => {
  const CONNECT = "CONNECT gateway:443 HTTP/1.1\r\nHost: gateway:443\r\n\r\n";

  it("gets 405 in the envelope", async () => {
    const { status, headers, body } = await sendRaw(gateway.url, CONNECT);
    expect([status, headers["allow"]]).toEqual([405, [""]]);
    expect(JSON.parse(body)).toEqual(failure("METHOD_NOT_ALLOWED", "CONNECT is not allowed here."));
    expect(headers["x-request-id"]).toEqual([JSON.parse(body).meta.request_id]);
  });

  it("leaves no connection open, even if the client never closes it", async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.on("error", () => undefined).resume();
    socket.write(CONNECT);
    await once(socket, "end");
    const closed = () => {
      // A write detects whether the peer is still there.
      socket.write("x");
      expect(socket.closed).toBe(true);
    };
    await vi.waitFor(closed, { timeout: 60_000 });
  });
});

describe("an unknown Expect header", () => {
  it("gets a response in the envelope", async () => {
    const { body } = await requestRaw(`${gateway.url}/ext/v1/emissions`, { headers: [["Expect", "tea"]] });
    expect(JSON.parse(body)).toEqual(failure(expect.any(String)));
  });
});

describe("a page of another origin", () => {
  const corsHeaders = (headers: Headers) =>
    [...headers.keys()].filter((name) => name.startsWith("access-control-"));

  it("may read nothing without CORS_ORIGINS", async () => {
    const plain = await fetchAt("/ext/v1/emissions", { headers: { ...withKey(), Origin: ORIGIN } });
    const preflight = await fetchAt("/ext/v1/emissions", {
      method: "OPTIONS",
      headers: {
        Origin: ORIGIN,
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "x-api-key",
      },
    });
    expect(plain.status).toBe(200);
    expect(corsHeaders(plain.headers)).toEqual([]);
    expect(corsHeaders(preflight.headers)).toEqual([]);
  });

  describe("with CORS_ORIGINS", () => {
    let open: Gateway;
    beforeAll(async () => {
      open = await startGateway({
        env: { CORS_ORIGINS: `${ORIGIN},https://other.example.com` },
        database: gateway.database,
      });
    });
    afterAll(() => open.stop());

    it.each([
      ["a response", true, 200, "emissions"],
      ["a refusal", false, 401, "emissions"],
      ["the error for a malformed URL", true, 400, "%zz"],
    ])("may read %s and its headers", async (_what, keyed, status, path) => {
      const answer = await fetch(`${open.url}/ext/v1/${path}`, {
        headers: { ...(keyed && withKey()), Origin: ORIGIN },
      });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(answer.headers.get("access-control-expose-headers")?.split(",").toSorted()).toEqual([
        "Content-Disposition",
        "ETag",
        "Idempotency-Replayed",
        "Location",
        "RateLimit",
        "RateLimit-Policy",
        "Retry-After",
        "Sync-Cursor",
        "WWW-Authenticate",
        "X-RateLimit-Limit",
        "X-RateLimit-Remaining",
        "X-RateLimit-Reset",
        "X-Request-Id",
      ]);
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      expect(answer.headers.get("vary")).toBe("X-API-Key, Origin");
    });

    it("may send the key after a preflight that needs no key and is free of charge", async () => {
      const answer = await fetch(`${open.url}/ext/v1/emissions`, {
        method: "OPTIONS",
        headers: {
          Origin: ORIGIN,
          "Access-Control-Request-Method": "GET",
          "Access-Control-Request-Headers": "x-api-key,x-request-id",
        },
      });
      expect(answer.status).toBe(204);
      expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(answer.headers.get("access-control-allow-methods")).toBe("GET,HEAD,POST,PUT,PATCH,DELETE");
      expect(answer.headers.get("access-control-allow-headers")).toBe("x-api-key,x-request-id");
      expect(answer.headers.get("access-control-max-age")).toBe("600");
      expect(budgetHeaders(answer.headers)).toEqual([]);
    });

    it("may call the wider API with a bearer token, and read the response", async () => {
      const path = `${open.url}/v1/api-keys/x`;
      const asked = { "Access-Control-Request-Method": "PATCH" };
      const wanted = { "Access-Control-Request-Headers": "authorization,content-type,if-match" };
      const preflight = await fetch(path, {
        method: "OPTIONS",
        headers: { Origin: ORIGIN, ...asked, ...wanted },
      });
      expect([
        preflight.status,
        preflight.headers.get("access-control-allow-methods"),
        preflight.headers.get("access-control-allow-headers"),
      ]).toEqual([204, "GET,HEAD,POST,PUT,PATCH,DELETE", "authorization,content-type,if-match"]);
      const headers = { Origin: ORIGIN, Authorization: "Bearer x" };
      const answer = await fetch(path, { method: "PATCH", headers });
      expect([
        answer.status,
        answer.headers.get("access-control-allow-origin"),
        answer.headers.get("vary"),
      ]).toEqual([401, ORIGIN, "X-API-Key, Origin, Authorization, Cookie"]);
    });

    it.each([
      "https://evil.example.com",
      "https://dashboard.example.com.evil.com",
      "http://dashboard.example.com",
      "null",
    ])("may not read from an unlisted origin: %s", async (origin) => {
      const answer = await fetch(`${open.url}/ext/v1/emissions`, {
        headers: { ...withKey(), Origin: origin },
      });
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    });

    it("gets the usual response to OPTIONS without preflight headers", async () => {
      const answer = await fetch(`${open.url}/ext/v1/emissions`, { method: "OPTIONS" });
      expect([answer.status, answer.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
      const nowhere = await fetch(`${open.url}/ext/v1/nothing`, { method: "OPTIONS" });
      expect(nowhere.status).toBe(404);
    });
  });
});
