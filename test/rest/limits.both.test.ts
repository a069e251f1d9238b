import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeKey } from "../../src/actions/keys/change-key.js";
import type { CreatedKey } from "../../src/actions/keys/new-key.js";
import type { Tier } from "../../src/domain/tiers.js";
import { addRecord } from "../support/fixtures.js";
import { type Gateway, makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";
import { recordStatements } from "../support/statements.js";

const PATHS = ["/emissions", "/compliance", "/credits", "/benchmarks", "/market"];

let gateway: Gateway;
let acme: string;

beforeAll(async () => {
  gateway = await startGateway();
  acme = await makeOrganization(gateway.database);
});
afterAll(() => gateway.stop());

const key = (tier: Tier) => makeKey(gateway.database, acme, { tier });
const changeTier = ({ id }: CreatedKey, tier: Tier) =>
  changeKey({ database: gateway.database, pepper: undefined, now: NOW }, id, { tier });

const organization = (value: string) => gateway.graphql("{ organization { slug } }", value);

const HEADERS = [
  "RateLimit-Policy",
  "RateLimit",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
];
const limitHeaders = (headers: Headers) =>
  Object.fromEntries(HEADERS.map((name) => [name, headers.get(name)]));

/** Seconds to the window's end, as the RateLimit header says; the counter's clock is its own. */
function secondsToReset(headers: Headers): number {
  const seconds = Number(/;t=(\d+)$/.exec(headers.get("ratelimit") ?? "")?.[1]);
  expect(seconds).toBeGreaterThan(3_500);
  expect(seconds).toBeLessThanOrEqual(3_600);
  return seconds;
}

const resetAt = (headers: Headers) => String(NOW.getTime() / 1_000 + secondsToReset(headers));

/** Uses up a Free key but for `left` requests. */
async function spend({ key: value }: CreatedKey, left: number): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: 100 - left }, () => gateway.rest("/benchmarks", value)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
}

describe("the headers of the budget", () => {
  it("name a second at which the window has ended, not one in which it ends", async () => {
    const { key: value } = await key("free");
    gateway.setNow(new Date(NOW.getTime() + 999));
    try {
      const { headers } = await gateway.rest("/emissions", value);
      expect(Number(headers.get("x-ratelimit-reset"))).toBe(Number(resetAt(headers)) + 1);
    } finally {
      gateway.setNow(NOW);
    }
  });

  it.each([
    ["free", 100],
    ["pro", 1_000],
    ["enterprise", 10_000],
  ] as const)("say what a %s key has, at its first and at its second request", async (tier, limit) => {
    const { key: value } = await key(tier);
    for (const used of [1, 2]) {
      const { status, headers } = await gateway.rest("/emissions", value);
      expect(status).toBe(200);
      expect(limitHeaders(headers)).toEqual({
        "RateLimit-Policy": `"${tier}";q=${limit};w=3600`,
        RateLimit: `"${tier}";r=${limit - used};t=${secondsToReset(headers)}`,
        "X-RateLimit-Limit": String(limit),
        "X-RateLimit-Remaining": String(limit - used),
        "X-RateLimit-Reset": resetAt(headers),
        "Retry-After": null,
      });
    }
  });

  it("are the same on a 429, where Retry-After equals t: the 100th request passes, the next does not", async () => {
    const free = await key("free");
    await spend(free, 1);
    const last = await gateway.rest("/emissions", free.key);
    expect([last.status, last.headers.get("x-ratelimit-remaining")]).toEqual([200, "0"]);

    const { status, headers, body } = await gateway.rest("/emissions", free.key);
    const seconds = secondsToReset(headers);
    expect(status).toBe(429);
    expect(limitHeaders(headers)).toEqual({
      "RateLimit-Policy": '"free";q=100;w=3600',
      RateLimit: `"free";r=0;t=${seconds}`,
      "X-RateLimit-Limit": "100",
      "X-RateLimit-Remaining": "0",
      "X-RateLimit-Reset": resetAt(headers),
      "Retry-After": String(seconds),
    });
    expect(body).toEqual({
      success: false,
      data: null,
      error: {
        code: "RATE_LIMIT_EXCEEDED",
        message: `Rate limit exceeded: 100 requests per hour (free tier). The limit resets in ${seconds} seconds.`,
      },
      meta: {
        request_id: headers.get("x-request-id"),
        timestamp: "2026-11-20T10:00:00.000Z",
        version: "1.0",
      },
    });
  });

  it("stand on GraphQL's answers too, 429 included", async () => {
    const free = await key("free");
    const first = await organization(free.key);
    expect(limitHeaders(first.headers)).toEqual({
      "RateLimit-Policy": '"free";q=100;w=3600',
      RateLimit: `"free";r=99;t=${secondsToReset(first.headers)}`,
      "X-RateLimit-Limit": "100",
      "X-RateLimit-Remaining": "99",
      "X-RateLimit-Reset": resetAt(first.headers),
      "Retry-After": null,
    });

    await spend(free, 1);
    const refused = await organization(free.key);
    const seconds = secondsToReset(refused.headers);
    expect(refused.status).toBe(429);
    expect(limitHeaders(refused.headers)).toEqual({
      "RateLimit-Policy": '"free";q=100;w=3600',
      RateLimit: `"free";r=0;t=${seconds}`,
      "X-RateLimit-Limit": "100",
      "X-RateLimit-Remaining": "0",
      "X-RateLimit-Reset": resetAt(refused.headers),
      "Retry-After": String(seconds),
    });
  });
});

describe("the budget of a key", () => {
  it("answers exactly 100 of 150 requests at once over both surfaces; a refused one is not counted", async () => {
    const free = await key("free");
    const ask = async (index: number) => {
      if (index % 2 === 0) {
        const { status, body } = await gateway.rest(PATHS[(index / 2) % PATHS.length] ?? "", free.key);
        return { status, code: body.error?.code };
      }
      const { status, body } = await organization(free.key);
      return { status, code: body.errors?.[0]?.extensions.code };
    };
    const answers = await Promise.all(Array.from({ length: 150 }, (_, index) => ask(index)));

    expect(answers.filter(({ status, code }) => status === 200 && code === undefined)).toHaveLength(100);
    expect(
      answers.filter(({ status, code }) => status === 429 && code === "RATE_LIMIT_EXCEEDED"),
    ).toHaveLength(50);

    await changeTier(free, "pro");
    const { status, headers } = await gateway.rest("/emissions", free.key);
    // 900 were left before this one.
    expect([status, headers.get("x-ratelimit-remaining")]).toEqual([200, "899"]);
  });

  it("is one for both surfaces", async () => {
    const { key: value } = await key("free");
    const remaining: (string | null)[] = [];
    for (const path of PATHS) {
      remaining.push((await gateway.rest(path, value)).headers.get("x-ratelimit-remaining"));
      remaining.push((await organization(value)).headers.get("x-ratelimit-remaining"));
    }
    expect(remaining).toEqual(["99", "98", "97", "96", "95", "94", "93", "92", "91", "90"]);
  });

  it("is spent for both surfaces when it is spent on one", async () => {
    const free = await key("free");
    await spend(free, 0);
    expect((await gateway.rest("/emissions", free.key)).status).toBe(429);
    expect((await organization(free.key)).status).toBe(429);
  });

  it("is the key's own: another key of the organization has its own", async () => {
    const [first, second] = [await key("free"), await key("free")];
    await gateway.rest("/emissions", first.key);
    await gateway.rest("/emissions", first.key);
    const { headers } = await gateway.rest("/emissions", second.key);
    expect(headers.get("x-ratelimit-remaining")).toBe("99");
  });

  it("costs one unit a GraphQL request, however many fields it asks for", async () => {
    const { key: value } = await key("free");
    const { headers, body } = await gateway.graphql(
      "{ emissions { recordCount } credits { availableCredits } market { isLiveFeedConnected } rateLimit { used remaining } }",
      value,
    );
    expect(body.data.rateLimit).toEqual({ used: 1, remaining: 99 });
    expect(headers.get("x-ratelimit-remaining")).toBe("99");
  });

  it("costs nothing to introspect, with a key or without", async () => {
    const { key: value } = await key("free");
    const introspections = [
      "{ __typename }",
      "{ __schema { queryType { name } } }",
      '{ __type(name: "Query") { name } }',
    ];
    for (const query of introspections) {
      for (const caller of [value, undefined]) {
        const { status, headers, body } = await gateway.graphql(query, caller);
        expect([query, status, body.errors]).toEqual([query, 200, undefined]);
        expect(headers.get("ratelimit")).toBeNull();
      }
    }
    const { headers } = await gateway.rest("/emissions", value);
    expect(headers.get("x-ratelimit-remaining")).toBe("99");
  });

  it("is paid for by what only looks like introspection", async () => {
    const { key: value } = await key("free");
    const { headers } = await gateway.graphql("{ __typename organization { slug } }", value);
    expect(headers.get("x-ratelimit-remaining")).toBe("99");
    const without = await gateway.graphql("{ __typename organization { slug } }");
    expect(without.status).toBe(401);
  });
});

describe("a change of tier", () => {
  it("acts at once and keeps what was used, upwards and downwards", async () => {
    const changed = await key("pro");
    await gateway.rest("/emissions", changed.key);
    await organization(changed.key);
    const next = async () => {
      const { status, headers } = await gateway.rest("/emissions", changed.key);
      return [status, headers.get("ratelimit-policy"), headers.get("x-ratelimit-remaining")];
    };

    await changeTier(changed, "free");
    expect(await next()).toEqual([200, '"free";q=100;w=3600', "97"]);
    await changeTier(changed, "enterprise");
    expect(await next()).toEqual([200, '"enterprise";q=10000;w=3600', "9996"]);
    await changeTier(changed, "pro");
    expect(await next()).toEqual([200, '"pro";q=1000;w=3600', "995"]);
  });

  it("to one that is spent already refuses at once; back up, everything but what was answered is left", async () => {
    const changed = await key("free");
    await spend(changed, 0);
    await changeTier(changed, "pro");
    expect((await gateway.rest("/emissions", changed.key)).headers.get("x-ratelimit-remaining")).toBe("899");

    await changeTier(changed, "free");
    const refused = await gateway.rest("/emissions", changed.key);
    expect([refused.status, refused.headers.get("x-ratelimit-remaining")]).toEqual([429, "0"]);

    await changeTier(changed, "pro");
    expect((await gateway.rest("/emissions", changed.key)).headers.get("x-ratelimit-remaining")).toBe("898");
  });
});

describe("a key that is spent", () => {
  /** How often the database was read for refused requests, of which each came after the one before. */
  async function readsOfRefused(asked: Gateway, value: string): Promise<number> {
    const { answer, statements } = await recordStatements(async () => {
      const codes: unknown[] = [];
      for (let count = 0; count < 10; count += 1) codes.push((await asked.rest("/emissions", value)).status);
      return codes;
    });
    expect(answer).toEqual(Array(10).fill(429));
    return statements.filter(({ text }) => text.includes("emission_days")).length;
  }

  it("has what changed computed by the first that is refused alone, for those who may still ask", async () => {
    const slug = await makeOrganization(gateway.database);
    const spent = await makeKey(gateway.database, slug, { tier: "free" });
    const other = await makeKey(gateway.database, slug);
    await spend(spent, 0);
    await addRecord(gateway.database, slug);
    expect(await readsOfRefused(gateway, spent.key)).toBe(1);
    const { answer, statements } = await recordStatements(() => gateway.rest("/emissions", other.key));
    expect(answer.body.data).toMatchObject({ record_count: 1 });
    expect(statements.filter(({ text }) => text.includes("emission_days"))).toEqual([]);
    await addRecord(gateway.database, slug);
    expect(await readsOfRefused(gateway, spent.key)).toBe(0);
  });

  it("has no more computed than that where the database fails, and is refused all the same", async () => {
    const asked: string[] = [];
    const { database } = gateway;
    const failing = await startGateway({
      database: {
        ...database,
        select<Row>(text: string, values: readonly unknown[]) {
          if (!text.includes("emission_days")) return database.select<Row>(text, values);
          asked.push(text);
          return Promise.reject(new Error("canceling statement due to statement timeout"));
        },
      },
    });
    try {
      const spent = await key("free");
      await Promise.all(Array.from({ length: 100 }, () => failing.rest("/benchmarks", spent.key)));
      for (let count = 0; count < 10; count += 1)
        expect((await failing.rest("/emissions", spent.key)).status).toBe(429);
      expect(asked).toHaveLength(1);
    } finally {
      await failing.stop();
    }
  });

  it("has nothing computed while changes are not heard, as nothing is remembered then", async () => {
    const listen = async () => ({ isHearing: () => false, stop: async () => undefined });
    const deaf = await startGateway({
      database: { ...gateway.database, listen, heard: async () => undefined },
    });
    try {
      const spent = await key("free");
      await Promise.all(Array.from({ length: 100 }, () => deaf.rest("/benchmarks", spent.key)));
      expect(await readsOfRefused(deaf, spent.key)).toBe(0);
    } finally {
      await deaf.stop();
    }
  });
});
