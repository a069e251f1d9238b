import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateKey } from "../../src/access/secrets/api-key.js";
import { revokeKeyById } from "../../src/actions/keys/revoke-key.js";
import { openTestDatabase } from "../support/database.js";
import { ORGANIZATION, runSql } from "../support/graph-fixtures.js";
import { type Gateway, makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";
import { error, errorAt, expectRefusal, JSON_TYPE, UUID } from "./refusal.js";
import { newTenant } from "./tenant.js";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const send = (init: RequestInit, to = gateway) => fetch(`${to.url}/graphql`, init);
const post = (body: string, headers: Record<string, string>) => send({ method: "POST", headers, body });

describe("POST /graphql refuses with 401, before any other check,", () => {
  const withKey = (value: string) => ({ ...JSON_TYPE, "X-API-Key": value });

  it.each([
    ["missing", "no key", () => "", "No API key. Send it in the X-API-Key header."],
    [
      "malformed",
      "a malformed key",
      () => "rubbish",
      "Invalid API key: malformed. A key is cgw_live_ followed by 38 letters and digits.",
    ],
    ["unknown", "an unknown key", generateKey, "Invalid API key: unknown."],
    [
      "expired",
      "an expired key",
      async () => (await newTenant(gateway, { expiresAt: NOW })).key,
      "Invalid API key: expired.",
    ],
    [
      "revoked",
      "a revoked key",
      async () => {
        const revoked = await newTenant(gateway);
        await revokeKeyById({ database: gateway.database, pepper: undefined, now: NOW }, revoked.keyId);
        return revoked.key;
      },
      "Invalid API key: revoked.",
    ],
    ["repeated", "two keys", () => "one, two", "More than one X-API-Key header. Send exactly one."],
  ])("for the reason %s: %s", async (reason, _what, make, message) => {
    const value = await make();
    for (const query of [
      "{ organization { slug } }",
      "{ nothing }",
      "{ syntax",
      "{ __schema { x } nothing }",
    ]) {
      const answer = await post(JSON.stringify({ query }), withKey(value));
      expect(answer.headers.get("www-authenticate")).toBe(`ApiKey error="${reason}"`);
      expect(answer.headers.get("ratelimit")).toBeNull();
      await expectRefusal(answer, 401, error("INVALID_KEY", message, { reason }));
    }
  });

  it("for the reason misplaced: a key outside its header", async () => {
    const { key: value } = await newTenant(gateway);
    const body = JSON.stringify({ query: "{ organization { slug } }" });
    const answer = await post(body, { ...JSON_TYPE, Authorization: `Bearer ${value}` });
    expect(answer.headers.get("www-authenticate")).toBe('ApiKey error="misplaced"');
    const message = "The API key was sent in the Authorization header. Send it in the X-API-Key header.";
    await expectRefusal(answer, 401, error("INVALID_KEY", message, { reason: "misplaced" }));
  });
});

describe("GET /graphql", () => {
  const get = (query: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/graphql?${new URLSearchParams({ query })}`, { headers });

  it.each([
    ["without a key", undefined],
    ["with an empty key", { "X-API-Key": "" }],
  ])("refuses a query %s with 401, as POST does", async (_what, headers) => {
    const answer = await get("{ organization { slug } }", headers);
    expect(answer.headers.get("www-authenticate")).toBe('ApiKey error="missing"');
    const message = "No API key. Send it in the X-API-Key header.";
    await expectRefusal(answer, 401, error("INVALID_KEY", message, { reason: "missing" }));
  });

  it("refuses free operations that another site could send, and names the missing header", async () => {
    const message = expect.stringContaining("x-api-key");
    await expectRefusal(await get("{ __typename }"), 400, error("BAD_REQUEST", message));
    const answer = await get("{ __typename }", { "Apollo-Require-Preflight": "1" });
    expect([answer.status, await answer.json()]).toEqual([200, { data: { __typename: "Query" } }]);
  });
});

describe("a key with a spent budget", () => {
  it("is refused with 429 in GraphQL's form", async () => {
    const { key: value } = await newTenant(gateway, { tier: "free" });
    const spend = () => gateway.graphql("{ rateLimit { used } }", value);
    await Promise.all(Array.from({ length: 100 }, spend));
    const body = JSON.stringify({ query: "{ organization { slug } }" });
    const answer = await post(body, { ...JSON_TYPE, "X-API-Key": value });
    const seconds = answer.headers.get("retry-after");
    const message = `Rate limit exceeded: 100 requests per hour (free tier). The limit resets in ${seconds} seconds.`;
    await expectRefusal(answer, 429, error("RATE_LIMIT_EXCEEDED", message));
  });
});

describe("a path similar to /graphql", () => {
  it.each(["/graphql/anything", "/graphql/schema.graphqls"])("is 404: %s", async (path) => {
    const answer = await fetch(`${gateway.url}${path}`, { method: "POST" });
    await expectRefusal(answer, 404, error("NOT_FOUND", `No such endpoint: ${path}`));
  });

  it.each(["/GraphQL", "/GRAPHQL", "/graphqls"])("is 404, and not part of the graph: %s", async (path) => {
    const answer = await fetch(`${gateway.url}${path}`, { method: "POST" });
    expect([answer.status, await answer.json()]).toEqual([
      404,
      {
        success: false,
        data: null,
        error: { code: "NOT_FOUND", message: `No such endpoint: ${path}` },
        meta: expect.any(Object),
      },
    ]);
  });
});

describe("any method of /graphql except GET and POST", () => {
  it.each(["PUT", "PATCH", "DELETE"])("is 405, needs no key and costs nothing: %s", async (method) => {
    const { key: value } = await newTenant(gateway);
    for (const headers of [{ "X-API-Key": "" }, { "X-API-Key": value }]) {
      const answer = await send({ method, headers });
      expect([answer.headers.get("allow"), answer.headers.get("ratelimit")]).toEqual([
        "GET, POST, OPTIONS",
        null,
      ]);
      await expectRefusal(
        answer,
        405,
        error("METHOD_NOT_ALLOWED", `${method} is not allowed here. Use GET or POST.`),
      );
    }
    const { headers } = await gateway.graphql("{ rateLimit { used } }", value);
    expect(headers.get("x-ratelimit-remaining")).toBe("9999");
  });

  it("is answered with the allowed methods: HEAD with 405, OPTIONS with 204", async () => {
    for (const [method, status] of [
      ["HEAD", 405],
      ["OPTIONS", 204],
    ] as const) {
      const answer = await fetch(`${gateway.url}/graphql`, { method });
      expect([answer.status, answer.headers.get("allow")]).toEqual([status, "GET, POST, OPTIONS"]);
      expect(await answer.text()).toBe("");
    }
  });
});

describe("an internal failure", () => {
  const MASKED = "Internal error. Quote the X-Request-Id of this response when you contact support.";
  const masked = (...path: string[]) => ({ ...errorAt("INTERNAL_ERROR", MASKED), path });

  it("nulls its field, hides its cause, and leaves the other fields", async () => {
    const broken = await startGateway();
    try {
      const slug = await makeOrganization(broken.database);
      const { key: value } = await makeKey(broken.database, slug);
      await broken.database.transaction(({ script }) =>
        script("ALTER TABLE emission_days RENAME TO moved; ALTER TABLE credit_batches RENAME TO sold_out"),
      );
      const { status, headers, body } = await broken.graphql(
        "{ emissions { recordCount } organization { slug } credits { availableCredits } market { prices { price } } }",
        value,
      );
      expect(status).toBe(200);
      expect(headers.get("x-request-id")).toMatch(UUID);
      expect(body).toEqual({
        data: { emissions: null, organization: { slug }, credits: null, market: { prices: [] } },
        errors: expect.arrayContaining([
          masked("emissions", "recordCount"),
          masked("credits", "availableCredits"),
        ]),
      });
      expect(body.errors).toHaveLength(2);
    } finally {
      await broken.stop();
    }
  });

  it("is masked if a value does not fit the field's type", async () => {
    const { slug, key: value } = await newTenant(gateway);
    await runSql(
      gateway.database,
      `INSERT INTO emission_days (organization_id, grain, recorded_on, part, scope, co2e_tonnes, record_count)
       SELECT ${ORGANIZATION}, 'day', '2026-11-01', '', 'scope_1', 1, 9223372036854775807`,
      slug,
    );
    const { body } = await gateway.graphql("{ emissions { recordCount } }", value);
    expect(body).toEqual({
      data: { emissions: null },
      errors: [masked("emissions", "recordCount")],
    });
  });

  it("is 500 if the key cannot be looked up", async () => {
    const database = await openTestDatabase();
    await database.close();
    const cut = await startGateway({ database });
    try {
      const body = JSON.stringify({ query: "{ organization { slug } }" });
      const init = { method: "POST", headers: { ...JSON_TYPE, "X-API-Key": generateKey() }, body };
      await expectRefusal(await send(init, cut), 500, error("INTERNAL_ERROR", MASKED));
    } finally {
      await cut.stop();
    }
  });
});
