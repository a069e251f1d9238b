import { beforeAll, describe, expect, it } from "vitest";
import { changeKey } from "../../src/actions/keys/change-key.js";
import type { CreatedKey } from "../../src/actions/keys/new-key.js";
import type { Tier } from "../../src/domain/tiers.js";
import { addRecord } from "../support/fixtures.js";
import { type Gateway, makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";
import { recordStatements } from "../support/statements.js";
import { useGateway } from "../support/use.js";

const PATHS = ["/emissions", "/compliance", "/credits", "/benchmarks", "/market"];

let acme: string;

const gateway = useGateway();
beforeAll(async () => {
  acme = await makeOrganization(gateway.database);
});

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

/** Reads the seconds to the window's end in the RateLimit header; the counter has its own clock. */
function secondsToReset(headers: Headers): number {
  const seconds = Number(/;t=(\d+)$/.exec(headers.get("ratelimit") ?? "")?.[1]);
  expect(seconds).toBeGreaterThan(3_500);
  expect(seconds).toBeLessThanOrEqual(3_600);
  return seconds;
}

const resetAt = (headers: Headers) => String(NOW.getTime() / 1_000 + secondsToReset(headers));

/** Uses a Free key until only `left` requests remain. */
async function spend({ key: value }: CreatedKey, left: number): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: 100 - left }, () => gateway.rest("/benchmarks", value)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
}

describe("rate limit headers", () => {
  it("round the end of the window up to a whole second", async () => {
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
  ] as const)("show what a %s key has left after its first and second request", async (tier, limit) => {
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

  it("are set on a 429, with Retry-After equal to t, from the 101st request", async () => {
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

  it("are also set on GraphQL responses, including a 429", async () => {
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
  it("allows exactly 100 of 150 concurrent requests, and does not count refused ones", async () => {
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
    // 900 of 1,000 were left before this one.
    expect([status, headers.get("x-ratelimit-remaining")]).toEqual([200, "899"]);
  });

  it("is shared by REST and GraphQL", async () => {
    const { key: value } = await key("free");
    const remaining: (string | null)[] = [];
    for (const path of PATHS) {
      remaining.push((await gateway.rest(path, value)).headers.get("x-ratelimit-remaining"));
      remaining.push((await organization(value)).headers.get("x-ratelimit-remaining"));
    }
    expect(remaining).toEqual(["99", "98", "97", "96", "95", "94", "93", "92", "91", "90"]);
  });

  it("is exhausted for both surfaces at once", async () => {
    const free = await key("free");
    await spend(free, 0);
    expect((await gateway.rest("/emissions", free.key)).status).toBe(429);
    expect((await organization(free.key)).status).toBe(429);
  });

  it("is separate for each key of an organization", async () => {
    const [first, second] = [await key("free"), await key("free")];
    await gateway.rest("/emissions", first.key);
    await gateway.rest("/emissions", first.key);
    const { headers } = await gateway.rest("/emissions", second.key);
    expect(headers.get("x-ratelimit-remaining")).toBe("99");
  });

  it("counts a GraphQL request as one, regardless of its fields", async () => {
    const { key: value } = await key("free");
    const { headers, body } = await gateway.graphql(
      "{ emissions { recordCount } credits { availableCredits } market { isLiveFeedConnected } rateLimit { used remaining } }",
      value,
    );
    expect(body.data.rateLimit).toEqual({ used: 1, remaining: 99 });
    expect(headers.get("x-ratelimit-remaining")).toBe("99");
  });

  it("does not count introspection, with or without a key", async () => {
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

  it("counts a query that combines __typename with data", async () => {
    const { key: value } = await key("free");
    const { headers } = await gateway.graphql("{ __typename organization { slug } }", value);
    expect(headers.get("x-ratelimit-remaining")).toBe("99");
    const without = await gateway.graphql("{ __typename organization { slug } }");
    expect(without.status).toBe(401);
  });
});

describe("a change of tier", () => {
  it("takes effect at once, up or down, and keeps what was used", async () => {
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

  it("refuses at once if the new limit is used up, and does not count the refusal", async () => {
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

describe("a key without remaining requests", () => {
  /** Counts database reads during ten sequential refused requests. */
  async function readsOfRefused(asked: Gateway, value: string): Promise<number> {
    const { answer, statements } = await recordStatements(async () => {
      const codes: unknown[] = [];
      for (let count = 0; count < 10; count += 1) codes.push((await asked.rest("/emissions", value)).status);
      return codes;
    });
    expect(answer).toEqual(Array(10).fill(429));
    return statements.filter(({ text }) => text.includes("emission_days")).length;
  }

  it("recomputes changed figures only once, for other keys to reuse", async () => {
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

  it("tries only once to recompute if the database fails, and is still refused", async () => {
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

  it("recomputes nothing while the gateway cannot hear changes, since nothing is cached", async () => {
    const listen = async () => ({ isListening: () => false, stop: async () => undefined });
    const deaf = await startGateway({
      database: { ...gateway.database, listen, waitForAnnouncements: async () => undefined },
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
