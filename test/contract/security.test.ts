import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateKey } from "../../src/access/secrets/api-key.js";
import { createFailureCounter } from "../../src/limits/budget/auth-failures.js";
import { addRecord } from "../support/fixtures.js";
import { requestRaw } from "../support/raw.js";
import {
  type Gateway,
  type GraphqlBody,
  makeKey,
  makeOrganization,
  startGateway,
} from "../support/server.js";

const ENDPOINTS = ["emissions", "compliance", "credits", "benchmarks", "market"];
const ORIGIN = "https://app.example.com";

let gateway: Gateway;
let organization: string;
let key: string;
beforeAll(async () => {
  gateway = await startGateway({ env: { CORS_ORIGINS: ORIGIN, CONSOLE: "false" } });
  organization = await makeOrganization(gateway.database);
  await addRecord(gateway.database, organization);
  ({ key } = await makeKey(gateway.database, organization));
});
afterAll(() => gateway.stop());

/** Sends a body verbatim, which `JSON.stringify` could not produce. */
async function post(body: string, value = key) {
  const answer = await requestRaw(`${gateway.url}/graphql`, {
    method: "POST",
    headers: [
      ["Content-Type", "application/json"],
      ["X-API-Key", value],
    ],
    body,
  });
  const { data, errors } = JSON.parse(answer.body);
  return {
    status: answer.status,
    data,
    codes: (errors as GraphqlBody["errors"])?.map(({ extensions }) => extensions.code),
  };
}

describe("the cached answer of one operation", () => {
  const INSTRUMENTS = "query Q($n: Int) { market { instruments(first: $n) { totalCount } } }";

  it.each(["1e400", "-1e400"])("is not returned for another one, whose variable is %s", async (number) => {
    const ask = (n: string) =>
      post(JSON.stringify({ query: INSTRUMENTS }).replace(/}$/, `,"variables":{"n":${n}}}`));
    expect((await ask("null")).data).toEqual({ market: { instruments: { totalCount: 0 } } });
    expect(await ask(number)).toMatchObject({ data: undefined, codes: ["BAD_USER_INPUT"] });
  });

  it("is not returned for a different operation that looks the same when concatenated", async () => {
    const query =
      "query A($s: String) { benchmarks(sector: $s) { items { sector } } organization { slug } } query B($s: String) { organization { name } benchmarks(sector: $s) { items { sector } } }";
    const asked = [
      { operationName: "A", variables: {} },
      { operationName: "B", variables: {} },
      { operationName: "A", variables: { s: "x" } },
      { operationName: "A", variables: { s: '"},"B"' } },
      { operationName: "B", variables: { s: "A" } },
    ];
    for (const operation of asked) {
      const body = JSON.stringify({ query, ...operation });
      const first = await post(body);
      // The second answer comes from the cache, which also has those of the other operations.
      expect(await post(body)).toEqual(first);
      expect(first.status).toBe(200);
      expect(Object.keys(first.data.organization)).toEqual([
        operation.operationName === "A" ? "slug" : "name",
      ]);
    }
  });

  it("is never returned to another tenant, even if it writes the first one's id, slug and name into its own", async () => {
    const { prisma } = gateway.database;
    const mine = await prisma.organization.findUniqueOrThrow({ where: { slug: organization } });
    const forged = JSON.stringify([mine.slug, mine.name, "x", null, {}]);
    const slug = await makeOrganization(gateway.database, `${mine.id} ${forged} /emissions`);
    const other = (await makeKey(gateway.database, slug)).key;
    for (const query of [
      "{ organization { slug } emissions { recordCount } }",
      `{ organization { slug } emissions { recordCount } } # ${forged}`,
    ]) {
      const body = JSON.stringify({
        query,
        operationName: null,
        variables: { x: forged, [forged]: mine.id },
      });
      expect((await post(body)).data).toEqual({
        organization: { slug: organization },
        emissions: { recordCount: 1 },
      });
      expect((await post(body, other)).data).toEqual({
        organization: { slug },
        emissions: { recordCount: 0 },
      });
    }
    for (const [value, count] of [
      [key, 1],
      [other, 0],
    ] as const) {
      const { body } = await gateway.rest(`/emissions?organization=${mine.id}&${mine.slug}`, value, {
        headers: { "X-Organization-Id": mine.id, "X-Original-URL": "/ext/v1/market", Host: mine.id },
      });
      expect(body.data).toMatchObject({ record_count: count });
    }
  });

  it("is not stored by intermediaries: every answer says so, with any status", async () => {
    const answers = [
      ...(await Promise.all(ENDPOINTS.map((name) => gateway.rest(`/${name}`, key)))),
      await gateway.rest("/emissions"),
      await gateway.rest("/nothing", key),
      await gateway.graphql("{ organization { slug } }", key),
      await gateway.graphql("{ nothing }", key),
      await gateway.call("/graphql", { headers: { Accept: "text/html" } }),
    ];
    for (const { headers } of answers) {
      expect(headers.get("cache-control")).toMatch(/^(private, )?no-store$/);
      expect(headers.get("vary")).toContain("X-API-Key");
    }
  });
});

describe("request data", () => {
  const hostile = [
    "3f0c1a52-6f4e-4c8b-9d57-2b8a9c0e7d16\tx",
    "<script>",
    "'; DROP TABLE x; --",
    "%0d%0aX-Evil:1",
    "é",
  ];
  it.each(hostile)("appears in no response header: %s", async (text) => {
    const { headers, body } = await requestRaw(`${gateway.url}/ext/v1/emissions`, {
      headers: ["X-Request-Id", "X-API-Key", "Origin", "Traceparent", "X-Forwarded-For", "Accept"].map(
        (name) => [name, text] as const,
      ),
    });
    expect(JSON.stringify(headers)).not.toContain(text);
    expect(body).not.toContain(text);
    expect(headers["x-request-id"]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect(JSON.parse(body).meta.request_id).toBe(headers["x-request-id"]?.[0]);
  });

  it("does not decide the target of a redirect", async () => {
    const { headers } = await requestRaw(`${gateway.url}/graphiql/assets`, {
      headers: [
        ["X-Forwarded-Host", "evil.example.com"],
        ["X-Forwarded-Proto", "https"],
        ["Forwarded", "host=evil.example.com"],
      ],
    });
    expect(headers["location"]).toEqual(["/graphiql/assets/"]);
  });

  it("appears in no page", async () => {
    for (const path of ["/", "/graphql", "/graphiql"]) {
      const { status, body } = await requestRaw(`${gateway.url}${path}?x=evil-example`, {
        headers: [
          ["Accept", "text/html"],
          ["X-Forwarded-Host", "evil-example"],
          ["User-Agent", "evil-example"],
        ],
      });
      expect([path, status]).toEqual([path, 200]);
      expect(body).not.toContain("evil-example");
    }
  });
});

describe("browsers", () => {
  it.each([
    `${ORIGIN}.evil.example`,
    "https://evil-app.example.com",
    `${ORIGIN}:8443`,
    `${ORIGIN}/`,
    ORIGIN.replace("https", "http"),
    ORIGIN.toUpperCase(),
    `${ORIGIN} https://evil.example`,
    `${ORIGIN},https://evil.example`,
    "null",
    "*",
  ])("are not allowed to show answers to pages of %s", async (origin) => {
    for (const [method, path] of [
      ["GET", "/ext/v1/emissions"],
      ["OPTIONS", "/ext/v1/emissions"],
      ["OPTIONS", "/graphql"],
    ] as const) {
      const { headers } = await requestRaw(`${gateway.url}${path}`, {
        method,
        headers: [
          ["Origin", origin],
          ["X-API-Key", key],
          ["Access-Control-Request-Method", "GET"],
          ["Access-Control-Request-Headers", "x-api-key"],
        ],
      });
      expect([headers["access-control-allow-origin"], headers["access-control-allow-credentials"]]).toEqual([
        undefined,
        undefined,
      ]);
      expect(headers["vary"]?.join()).toContain("Origin");
    }
  });

  it("execute nothing from an answer, and show none in another site's frame", async () => {
    const paths = [
      "/ext/v1/emissions",
      "/ext/v1/<script>",
      "/nothing",
      "/openapi.json",
      "/health/live",
      "/metrics",
    ];
    for (const path of paths) {
      const { headers } = await fetch(`${gateway.url}${path}`, { headers: { Accept: "text/html" } });
      expect([path, headers.get("content-type")?.includes("html")]).toEqual([path, false]);
      expect([path, headers.get("x-content-type-options")]).toEqual([path, "nosniff"]);
      expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers.get("x-powered-by")).toBeNull();
    }
  });

  it("show the pages in no other site's frame, and let Altair load only from here", async () => {
    const policy = async (path: string) => {
      const answer = await fetch(`${gateway.url}${path}`, { headers: { Accept: "text/html" } });
      expect([path, answer.status]).toEqual([path, 200]);
      return answer.headers.get("content-security-policy") ?? "";
    };
    expect(await policy("/")).toMatch(/^default-src 'none'; img-src data:; style-src 'sha256-[^']+'; /);
    expect(await policy("/graphql")).toMatch(
      /^script-src 'sha256-[^']+' https:\/\/embeddable-sandbox\.cdn\.\S+; /,
    );
    for (const path of ["/", "/graphql"]) {
      expect(await policy(path)).toMatch(/; frame-ancestors 'none'$/);
      expect(await policy(path)).not.toMatch(/unsafe|\*/);
    }
    for (const path of ["/graphiql", "/graphiql/main.js"]) {
      const directives = (await policy(path)).split("; ");
      expect(directives).toContain("frame-ancestors 'self'");
      expect(directives.join(" ")).not.toMatch(/\*|https?:/);
      expect(directives[0]).toMatch(/^default-src 'self' /);
    }
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", undefined])(
    "cannot be made by another site's form to run an operation: %s",
    async (type) => {
      const answer = await fetch(`${gateway.url}/graphql`, {
        method: "POST",
        headers: type === undefined ? {} : { "Content-Type": type },
        body: new TextEncoder().encode('{"query":"{ organization { slug } }"}'),
      });
      expect([answer.status, (await answer.text()).includes(organization)]).toEqual([
        expect.toSatisfy((status: number) => status >= 400 && status < 500),
        false,
      ]);
    },
  );
});

describe("failed keys", () => {
  const strictWith = (TRUST_PROXY: string) =>
    startGateway({ env: { AUTH_FAILURES_PER_MINUTE: "3", TRUST_PROXY }, database: gateway.database });
  const fail = async ({ url }: Gateway, forwarded: string) => {
    const headers = {
      "X-API-Key": generateKey(),
      "X-Forwarded-For": forwarded,
      "X-Real-IP": forwarded,
      Forwarded: `for=${forwarded}`,
    };
    return (await fetch(`${url}/ext/v1/market`, { headers })).status;
  };

  it.each([
    ["0", (n: number) => `198.51.100.${n}`],
    ["1", (n: number) => `198.51.100.${n}, 203.0.113.9`],
    ["2", (n: number) => `198.51.100.${n}, 203.0.113.9, 10.0.0.1`],
    // Fewer proxies than configured: a string that is not an address gets no separate counter.
    ["2", (n: number) => `made-up-${n}, 10.0.0.1`],
    ["1", (n: number) => `203.0.113.${n}:${40_000 + n}`],
  ])(
    "of TRUST_PROXY=%s cannot be spread over addresses that the client makes up",
    async (hops, forwarded) => {
      const strict = await strictWith(hops);
      try {
        const statuses = [];
        for (let n = 1; n <= 5; n += 1) statuses.push(await fail(strict, forwarded(n)));
        expect(statuses).toEqual([401, 401, 401, 429, 429]);
      } finally {
        await strict.stop();
      }
    },
  );

  it("count once for an address in any notation, and for a /64 of IPv6", async () => {
    const count = createFailureCounter(1);
    const same = [
      ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:0201", "0:0:0:0:0:ffff:c000:201", "::ffff:192.0.2.1%lo"],
      [
        "2001:db8::1",
        "2001:DB8:0:0::ffff",
        "2001:0db8:0000:0000:ffff:ffff:ffff:ffff",
        "2001:db8:0:0:1::%eth0",
      ],
      ["2001:db8:0:1::1", "2001:db8::1:0:0:0:1"],
      ["::1", "0:0:0:0::2"],
    ];
    for (const [first = "", ...others] of same) {
      expect([first, await count(first)]).toEqual([first, null]);
      for (const other of others) expect([other, await count(other)]).toEqual([other, expect.any(Number)]);
    }
  });

  it("are forgotten in the order of their last failure if there are too many addresses", async () => {
    const count = createFailureCounter(2);
    for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.2"]) await count(address);
    for (let n = 0; n < 100_000; n += 1) {
      if (n % 10_000 === 0) expect(await count("192.0.2.1")).toEqual(expect.any(Number));
      await count(`2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`);
    }
    expect([await count("192.0.2.1"), await count("192.0.2.2")]).toEqual([expect.any(Number), null]);
  });
});
