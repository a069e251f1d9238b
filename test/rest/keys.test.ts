import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { generateKey } from "../../src/access/secrets/api-key.js";
import { revokeKeyById } from "../../src/actions/keys/revoke-key.js";
import { KEY_SCOPES } from "../../src/domain/scopes.js";
import { openTestDatabase } from "../support/database.js";
import { requestRaw } from "../support/raw.js";
import { type Gateway, makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";
import { useGateway } from "../support/use.js";

const REQUEST_ID = "3f0c1a52-6f4e-4c8b-9d57-2b8a9c0e7d16";
const later = (ms: number) => new Date(NOW.getTime() + ms);

let acme: string;

const gateway = useGateway();
beforeAll(async () => {
  acme = await makeOrganization(gateway.database);
});
beforeEach(() => gateway.setNow(NOW));

const key = (overrides: Parameters<typeof makeKey>[2] = {}) => makeKey(gateway.database, acme, overrides);
const ask = (value: string | undefined, path = "/emissions") =>
  gateway.rest(path, value, { headers: { "X-Request-Id": REQUEST_ID } });

/** The whole body of a refusal of a request with REQUEST_ID. */
const refusal = (message: unknown, code = "INVALID_KEY") => ({
  success: false,
  data: null,
  error: { code, message },
  meta: { request_id: REQUEST_ID, timestamp: "2026-11-20T10:00:00.000Z", version: "1.0" },
});

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString("base64")}`;
const budgetHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.includes("ratelimit"));

/** Changes the last character of a key. */
const misspelt = (right: string) => right.slice(0, -1) + (right.endsWith("0") ? "1" : "0");

describe("GET /ext/v1/*", () => {
  const expectRefused = async (value: string | undefined, message: string) => {
    const { status, headers, body } = await ask(value);
    expect(status).toBe(401);
    const reason = /: (\w+)\./.exec(message)?.[1] ?? "missing";
    expect(headers.get("www-authenticate")).toBe(`ApiKey error="${reason}"`);
    expect(budgetHeaders(headers)).toEqual([]);
    expect(body).toEqual(refusal(message));
  };
  const MISSING = "No API key. Send it in the X-API-Key header.";
  const MALFORMED = "Invalid API key: malformed. A key is cgw_live_ followed by 38 letters and digits.";

  it("answers 401 to a request without a key, at every endpoint", async () => {
    for (const path of ["/emissions", "/compliance", "/credits", "/benchmarks", "/market"]) {
      const { status, headers, body } = await ask(undefined, path);
      expect([path, status, headers.get("www-authenticate")]).toEqual([path, 401, 'ApiKey error="missing"']);
      expect(body).toEqual(refusal(MISSING));
    }
  });

  it("answers 401 to an empty key", () => expectRefused("", MISSING));

  it("answers 401 to two keys, even if both are the same valid key", async () => {
    const right = (await key()).key;
    const { status, headers, body } = await requestRaw(`${gateway.url}/ext/v1/emissions`, {
      headers: [
        ["X-API-Key", right],
        ["X-Request-Id", REQUEST_ID],
        ["x-api-key", right],
      ],
    });
    expect([status, headers["www-authenticate"]]).toEqual([401, ['ApiKey error="repeated"']]);
    expect(JSON.parse(body)).toEqual(refusal("More than one X-API-Key header. Send exactly one."));
  });

  it.each([
    [
      "the Authorization header",
      "as a Bearer token",
      (right: string) => [{ Authorization: `Bearer ${right}` }],
    ],
    ["the Authorization header", "without a scheme", (right: string) => [{ Authorization: right }]],
    [
      "the Authorization header",
      "as a user name",
      (right: string) => [{ Authorization: basic(`${right}:`) }],
    ],
    [
      "the Authorization header",
      "as a password",
      (right: string) => [{ Authorization: basic(`me:${right}`) }],
    ],
    ["the Cookie header", "in a cookie", (right: string) => [{ Cookie: `X-API-Key=${right}` }]],
    ["the URL", "in the query string", (right: string) => [{}, `?api_key=${right}`]],
    ["the URL", "percent-encoded", (right: string) => [{}, `?k=${right.replace("_", "%5F")}`]],
  ] as const)("answers 401 to a key in %s, and names the right header: %s", async (place, _how, send) => {
    const [headers, query = ""] = send((await key()).key);
    const answer = await gateway.rest(`/emissions${query}`, undefined, {
      headers: { ...headers, "X-Request-Id": REQUEST_ID } as Record<string, string>,
    });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
      401,
      'ApiKey error="misplaced"',
    ]);
    expect(answer.body).toEqual(
      refusal(`The API key was sent in ${place}. Send it in the X-API-Key header.`),
    );
  });

  it("answers 401 to another service's credentials, as if there were no key", async () => {
    const headers = { Authorization: "Bearer sk_live_something", "X-Request-Id": REQUEST_ID };
    expect((await gateway.rest("/emissions", undefined, { headers })).body).toEqual(refusal(MISSING));
  });

  it("answers 401 to a key of 10 kB", () => expectRefused(`cgw_live_${"a".repeat(10_000)}`, MALFORMED));

  it("answers 401 to a truncated key", async () => expectRefused((await key()).key.slice(0, -1), MALFORMED));

  it("answers 401 to a key with its prefix in upper case", async () => {
    await expectRefused((await key()).key.replace("cgw_live_", "CGW_LIVE_"), MALFORMED);
  });

  it("answers 401 to a well-formed key with a wrong checksum", async () => {
    const value = misspelt((await key()).key);
    const { headers, body } = await ask(value);
    expect(headers.get("www-authenticate")).toBe('ApiKey error="malformed"');
    const message = "Invalid API key: its checksum is wrong, so it was mistyped or cut off. Copy it again.";
    expect(body).toEqual(refusal(message));
  });

  it("answers 401 to an unknown key", () => expectRefused(generateKey(), "Invalid API key: unknown."));

  it("answers 401 to a revoked key", async () => {
    const { id, key: value } = await key();
    expect((await ask(value)).status).toBe(200);
    await revokeKeyById({ database: gateway.database, pepper: undefined, now: NOW }, id);
    await expectRefused(value, "Invalid API key: revoked.");
  });

  it("answers 401 to a key that expired a second ago", async () => {
    await expectRefused((await key({ expiresAt: later(-1_000) })).key, "Invalid API key: expired.");
  });

  it("answers 401 to a key that expires now", async () => {
    await expectRefused((await key({ expiresAt: NOW })).key, "Invalid API key: expired.");
  });
});

describe("GET /ext/v1/* with a valid key", () => {
  it("accepts it until the second in which it expires", async () => {
    const { key: value } = await key({ expiresAt: later(1_000) });
    expect((await ask(value)).status).toBe(200);
    gateway.setNow(later(999));
    expect((await ask(value)).status).toBe(200);
    gateway.setNow(later(1_000));
    expect((await ask(value)).status).toBe(401);
  });

  it("accepts the header name in any case", async () => {
    const { status } = await requestRaw(`${gateway.url}/ext/v1/emissions`, {
      headers: [["x-aPi-KeY", (await key()).key]],
    });
    expect(status).toBe(200);
  });
});

describe("a key", () => {
  it.each(KEY_SCOPES)("without %s gets 401 from its endpoint, at the cost of one request", async (scope) => {
    const path = `/${scope.split(":")[1]}`;
    const { key: value } = await key({ tier: "free", scopes: KEY_SCOPES.filter((other) => other !== scope) });
    const { status, headers, body } = await ask(value, path);

    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toBe('ApiKey error="insufficient_scope"');
    expect(body).toEqual(refusal(`The API key lacks the scope ${scope}.`));
    expect(headers.get("x-ratelimit-remaining")).toBe("99");
    expect((await ask(value, path)).headers.get("x-ratelimit-remaining")).toBe("98");
  });

  it.each(KEY_SCOPES)("with only %s opens its endpoint and no other", async (scope) => {
    const { key: value } = await key({ scopes: [scope] });
    const statuses: Record<string, number> = {};
    for (const other of KEY_SCOPES) statuses[other] = (await ask(value, `/${other.split(":")[1]}`)).status;

    expect(statuses).toEqual(
      Object.fromEntries(KEY_SCOPES.map((other) => [other, other === scope ? 200 : 401])),
    );
  });
});

describe("a malformed key", () => {
  it("is refused without reading the database", async () => {
    const database = await openTestDatabase();
    await database.close();
    const cut = await startGateway({ database });
    try {
      const headers = { "X-Request-Id": REQUEST_ID };
      const wellFormed = generateKey();
      const asked = await cut.rest("/emissions", wellFormed, { headers });
      expect(asked.status).toBe(500);
      expect(asked.body).toEqual(
        refusal(
          "Internal error. Quote the X-Request-Id of this response when you contact support.",
          "INTERNAL_ERROR",
        ),
      );

      for (const value of [undefined, "", "rubbish", misspelt(wellFormed)]) {
        expect([value, (await cut.rest("/emissions", value, { headers })).status]).toEqual([value, 401]);
      }
    } finally {
      await cut.stop();
    }
  });
});

describe("the last use of a key", () => {
  it("is stored at most once a minute", async () => {
    const { id, key: value } = await key();
    // Records every write of this key's last use.
    await gateway.database.transaction(({ script }) =>
      script(`
        CREATE TABLE noted_uses (at timestamptz(3));
        CREATE FUNCTION note_use() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN INSERT INTO noted_uses VALUES (NEW.last_used_at); RETURN NULL; END $$;
        CREATE TRIGGER note_use AFTER UPDATE OF last_used_at ON api_keys FOR EACH ROW
          WHEN (NEW.id = '${id}') EXECUTE FUNCTION note_use();`),
    );
    const noted = async () => {
      const rows = await gateway.database.prisma.$queryRaw<{ at: Date }[]>`SELECT at FROM noted_uses`;
      return rows.map(({ at }) => (at.getTime() - NOW.getTime()) / 1_000).toSorted((a, b) => a - b);
    };
    const useAfter = async (seconds: number) => {
      gateway.setNow(later(seconds * 1_000));
      expect((await ask(value)).status).toBe(200);
    };

    await useAfter(0);
    await expect.poll(noted).toEqual([0]);
    await useAfter(30);
    await useAfter(59.999);
    await useAfter(61);
    await expect.poll(noted).toEqual([0, 61]);
    await useAfter(91);
    await useAfter(122);
    await expect.poll(noted).toEqual([0, 61, 122]);

    const { lastUsedAt } = await gateway.database.prisma.apiKey.findUniqueOrThrow({ where: { id } });
    expect(lastUsedAt).toEqual(later(122_000));
  });

  it("is stored for many keys in few statements", async () => {
    const keys = await Promise.all(Array.from({ length: 40 }, () => key()));
    const ids = keys.map(({ id }) => id);
    const useAll = () => Promise.all(keys.map(({ key: value }) => ask(value)));
    const lastUses = async () => {
      const found = await gateway.database.prisma.apiKey.findMany({ where: { id: { in: ids } } });
      return new Set(found.map(({ lastUsedAt }) => lastUsedAt?.toISOString()));
    };
    const allAt = (at: Date) => new Set([at.toISOString()]);
    // Caches all keys first.
    await useAll();
    await expect.poll(lastUses).toEqual(allAt(NOW));
    await gateway.database.transaction(({ script }) =>
      script(`
        CREATE TABLE noting_statements (at timestamptz);
        CREATE FUNCTION note_statement() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN INSERT INTO noting_statements VALUES (now()); RETURN NULL; END $$;
        CREATE TRIGGER note_statement AFTER UPDATE OF last_used_at ON api_keys FOR EACH STATEMENT
          EXECUTE FUNCTION note_statement();`),
    );

    gateway.setNow(later(61_000));
    await useAll();
    await expect.poll(lastUses).toEqual(allAt(later(61_000)));
    const [statements] = await gateway.database.prisma.$queryRaw<
      { count: number }[]
    >`SELECT count(*)::int AS count FROM noting_statements`;
    expect(statements?.count).toBeLessThan(20);
  });

  it("is not stored for a refused key", async () => {
    const expired = await key({ expiresAt: NOW });
    await ask(expired.key);
    const used = await key();
    await ask(used.key);
    const lastUse = async (id: string) =>
      (await gateway.database.prisma.apiKey.findUniqueOrThrow({ where: { id } })).lastUsedAt;

    await expect.poll(() => lastUse(used.id)).toEqual(NOW);
    expect(await lastUse(expired.id)).toBeNull();
  });
});

describe("AUTH_FAILURES_PER_MINUTE", () => {
  let strict: Gateway;
  beforeAll(async () => {
    strict = await startGateway({
      env: { AUTH_FAILURES_PER_MINUTE: "3", TRUST_PROXY: "1" },
      database: gateway.database,
    });
  });
  afterAll(() => strict.stop());

  const from = (address: string, value?: string) =>
    strict.rest("/emissions", value, { headers: { "X-Forwarded-For": address, "X-Request-Id": REQUEST_ID } });

  it("limits failures of an address with 429, but accepts valid keys", async () => {
    const { key: right } = await key();
    const failures = [undefined, "rubbish", generateKey()];
    for (const value of failures) expect((await from("192.0.2.1", value)).status).toBe(401);
    expect((await from("192.0.2.1", right)).status).toBe(200);

    const { status, headers, body } = await from("192.0.2.1", "rubbish");
    expect(status).toBe(429);
    const seconds = Number(headers.get("retry-after"));
    expect(headers.get("retry-after")).toMatch(/^\d+$/);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(budgetHeaders(headers)).toEqual([]);
    expect(body).toEqual(
      refusal(
        `Too many requests without a valid API key. Try again in ${seconds} seconds. Last failure: Invalid API key: malformed. A key is cgw_live_ followed by 38 letters and digits.`,
        "RATE_LIMIT_EXCEEDED",
      ),
    );

    const rightOne = await from("192.0.2.1", right);
    expect([rightOne.status, rightOne.body.success]).toEqual([200, true]);
  });

  it("counts by IPv4 address and by IPv6 network of 64 bits", async () => {
    for (let i = 0; i < 3; i += 1) await from("192.0.2.2");
    expect((await from("192.0.2.2")).status).toBe(429);
    expect((await from("192.0.2.3")).status).toBe(401);

    for (let i = 1; i <= 3; i += 1) await from(`2001:db8::${i}`);
    expect((await from("2001:db8:0:0:ffff::1")).status).toBe(429);
    expect((await from("2001:db8:0:1::1")).status).toBe(401);
  });

  it("counts failures of clients that have disconnected, and logs no error for them", async () => {
    const countAborted = () => strict.log().filter(({ aborted }) => aborted === true).length;
    const before = countAborted();
    const cut = (message: unknown) => (message as { request: IncomingMessage }).request.socket.destroy();
    subscribe("http.server.request.start", cut);
    for (let i = 0; i < 3; i += 1) {
      await expect(strict.rest("/emissions", generateKey())).rejects.toThrow("fetch failed");
    }
    unsubscribe("http.server.request.start", cut);
    await expect.poll(() => countAborted() - before).toBe(3);
    expect(strict.log().filter(({ level, status }) => level >= 50 || Number(status) >= 500)).toEqual([]);
    // The last one may be counted after its log line. If none were counted, all of these would be 401.
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await strict.rest("/emissions")).status);
    expect(statuses).toContain(429);
  });

  it("does not count a valid key without the scope", async () => {
    const { key: value } = await key({ scopes: ["read:market"] });
    for (let i = 0; i < 5; i += 1) expect((await from("192.0.2.4", value)).status).toBe(401);
    expect((await from("192.0.2.4")).status).toBe(401);
  });
});

describe("key material", () => {
  it("never appears in a response", async () => {
    const right = await key({ tier: "free", scopes: ["read:market"] });
    const revoked = await key();
    await revokeKeyById({ database: gateway.database, pepper: undefined, now: NOW }, revoked.id);
    const expired = await key({ expiresAt: NOW });
    const unknown = generateKey();
    const keys = [right.key, revoked.key, expired.key, unknown, misspelt(right.key), `${unknown}${unknown}`];

    const answers: { status: number; text: string }[] = [];
    for (const value of keys) {
      const headers = { "X-API-Key": value };
      for (const [path, method] of [
        ["/ext/v1/market", "GET"],
        ["/ext/v1/emissions", "GET"],
        [`/ext/v1/${value}`, "GET"],
        [`/${value}`, "GET"],
        ["/ext/v1/market", "POST"],
      ] as const) {
        const answer = await fetch(`${gateway.url}${path}`, { method, headers });
        answers.push({
          status: answer.status,
          text: JSON.stringify([...answer.headers]) + (await answer.text()),
        });
      }
      const {
        status,
        headers: answered,
        body,
      } = await gateway.graphql("{ organization { slug } emissions { recordCount } nothing }", value);
      answers.push({ status, text: JSON.stringify([...answered, body]) });
    }

    expect(answers.map(({ status }) => status)).toEqual([
      200,
      401,
      404,
      404,
      405,
      400,
      ...keys.slice(1).flatMap(() => [401, 401, 404, 404, 405, 401]),
    ]);
    for (const value of keys) {
      // No response may contain eight consecutive characters after the prefix.
      for (let at = "cgw_live_".length; at + 8 <= value.length; at += 1) {
        const part = value.slice(at, at + 8);
        if ("cgw_live_".includes(part)) continue;
        expect(answers.filter(({ text }) => text.includes(part))).toEqual([]);
      }
    }
  });
});
