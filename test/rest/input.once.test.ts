import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { TypedOperation } from "../../src/generated/operations.js";
import { endpoint } from "../../src/rest/endpoint.js";
import { addFacility, addRecord } from "../support/fixtures.js";
import { type Envelope, type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";
import { recordStatements } from "../support/statements.js";
import { createTestMutations } from "../support/test-mutations.js";

// The external API accepts no input, so the tests add their own endpoints to the real application.

const PREFIX = "/api/v1/ext/v1/test";
const graphql = <Data, Variables>(source: string) => ({ source }) as TypedOperation<Data, Variables>;
const counted = z.object({ record_count: z.int() });
interface Counted {
  emissions: { recordCount: number };
}
const scope = "read:emissions" as const;

const endpoints = [
  endpoint({
    path: "/records",
    summary: "Amounts of the largest records",
    scope,
    operation: graphql<
      { emissions: { records: { nodes: { co2eTonnes: number }[] } } | null },
      { first: number; scopes: string[] | null }
    >(`query Records($first: Int!, $scopes: [EmissionScope!]) {
      emissions { records(first: $first, filter: { scopes: $scopes }, orderBy: CO2E_TONNES) { nodes { co2eTonnes } } }
    }`),
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(100).default(20).meta({ description: "Most records." }),
      scope: z.enum(["scope_1", "scope_2", "scope_3"]).optional(),
    }),
    variables: ({ query }) => ({
      first: query.limit,
      scopes: query.scope ? [query.scope.toUpperCase()] : null,
    }),
    data: z.object({ amounts: z.array(z.number()) }),
    example: { amounts: [1.5] },
    reshape: ({ emissions }) => ({ amounts: emissions.records.nodes.map(({ co2eTonnes }) => co2eTonnes) }),
  }),
  endpoint({
    method: "POST",
    path: "/records",
    summary: "Add a record",
    scope,
    operation: graphql<{ addRecord: { recordCount: number } | null }, { tonnes: number }>(
      "mutation AddRecord($tonnes: Int!) { addRecord(tonnes: $tonnes) { recordCount } }",
    ),
    body: z.strictObject({ tonnes: z.int().positive(), note: z.string().max(10).optional() }),
    variables: ({ body }) => ({ tonnes: body.tonnes }),
    data: counted,
    example: { record_count: 1 },
    reshape: ({ addRecord: added }) => ({ record_count: added.recordCount }),
  }),
  endpoint({
    path: "/records/count",
    summary: "Number of records",
    scope,
    operation: graphql<Counted, Record<never, never>>("query Count { emissions { recordCount } }"),
    data: counted,
    example: { record_count: 1 },
    reshape: ({ emissions }) => ({ record_count: emissions.recordCount }),
  }),
  endpoint({
    path: "/records/{country}",
    summary: "Number of records in a country",
    scope,
    operation: graphql<Counted, { country: string }>(
      "query InCountry($country: CountryCode!) { emissions(filter: { countries: [$country] }) { recordCount } }",
    ),
    params: z.object({ country: z.string().max(5) }),
    variables: ({ params }) => ({ country: params.country }),
    data: counted,
    example: { record_count: 1 },
    reshape: ({ emissions }) => ({ record_count: emissions.recordCount }),
  }),
  endpoint({
    method: "PATCH",
    path: "/facilities/{code}",
    summary: "Name a facility",
    scope,
    operation: graphql<
      { nameFacility: { facility: { name: string } | null } | null },
      { code: string; name: string }
    >(
      "mutation Name($code: String!, $name: String!) { nameFacility(code: $code, name: $name) { facility(code: $code) { name } } }",
    ),
    params: z.object({ code: z.string() }),
    body: z.object({ name: z.string() }),
    variables: ({ params, body }) => ({ ...params, ...body }),
    data: z.object({ name: z.string().nullable() }),
    example: { name: "Main works" },
    reshape: ({ nameFacility: { facility } }) => ({ name: facility?.name ?? null }),
  }),
];

const writing = createTestMutations();
let gateway: Gateway;

beforeAll(async () => {
  const groups = [{ keysOnly: true, prefixes: [PREFIX, "/ext/v1/test"], endpoints }];
  gateway = await startGateway({ extension: { ...writing.extension, groups } });
  writing.writeTo(gateway.database);
});
afterAll(() => gateway.stop());

async function newTenant(overrides: Parameters<typeof makeKey>[2] = {}) {
  const slug = await makeOrganization(gateway.database);
  const { key } = await makeKey(gateway.database, slug, overrides);
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    gateway.call<Envelope>(`${PREFIX}${path}`, {
      method,
      headers: { "X-API-Key": key, "Content-Type": "application/json", ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const dataOf = async (...call: Parameters<typeof ask>) => {
    const { status, body } = await ask(...call);
    expect([status, body.error]).toEqual([200, null]);
    return body.data;
  };
  return { slug, ask, dataOf };
}

describe("an endpoint with query parameters", () => {
  it("passes them to its query, with defaults, and caches responses by variables", async () => {
    const { slug, dataOf } = await newTenant();
    await addRecord(gateway.database, slug, { co2eTonnes: 1 });
    await addRecord(gateway.database, slug, { co2eTonnes: 2, scope: "scope_2" });
    const answers = [
      ["/records", [2, 1]],
      ["/records?limit=1", [2]],
      ["/records?limit=2&scope=scope_1", [1]],
    ] as const;
    for (const [path, amounts] of answers) expect(await dataOf("GET", path)).toEqual({ amounts });
    const { statements } = await recordStatements(async () => {
      for (const [path, amounts] of answers) expect(await dataOf("GET", path)).toEqual({ amounts });
    });
    expect(statements).toEqual([]);
  });

  it("answers HEAD as GET, without a body", async () => {
    const { ask } = await newTenant();
    const { status, headers, body } = await ask("HEAD", "/records?limit=1");
    expect([status, body, Number(headers.get("content-length"))]).toEqual([200, "", expect.any(Number)]);
    expect((await ask("HEAD", "/records?limit=0")).status).toBe(400);
  });
});

describe("an endpoint with a parameter in its path", () => {
  it("passes it decoded to its operation, with or without a trailing slash", async () => {
    const { slug, dataOf } = await newTenant();
    const facility = await addFacility(gateway.database, slug, { country: "DE" });
    await addRecord(gateway.database, slug, { facility });
    for (const path of ["/records/DE", "/records/%44E", "/records/DE/"]) {
      expect(await dataOf("GET", path)).toEqual({ record_count: 1 });
    }
    expect(await dataOf("GET", "/records/FR")).toEqual({ record_count: 0 });
  });

  it("yields to an exact path, and matches exactly one non-empty segment", async () => {
    const { slug, ask, dataOf } = await newTenant();
    await addRecord(gateway.database, slug);
    expect(await dataOf("GET", "/records/count")).toEqual({ record_count: 1 });
    for (const path of ["/records/DE/FR", "/facilities/", "/facilities"]) {
      expect((await ask("GET", path)).body.error?.code).toBe("NOT_FOUND");
    }
  });

  it("answers BAD_REQUEST if the graph refuses the value", async () => {
    const { ask } = await newTenant();
    const { status, body } = await ask("GET", "/records/XX");
    expect([status, body.error?.code]).toEqual([400, "BAD_REQUEST"]);
    expect(body.error?.message).toContain('"XX"');
  });
});

describe("an endpoint with a body", () => {
  it("runs its mutation for each request, never cached or shared", async () => {
    const { dataOf } = await newTenant();
    expect(await dataOf("POST", "/records", { tonnes: 1 })).toEqual({ record_count: 1 });
    expect(await dataOf("POST", "/records", { tonnes: 1 })).toEqual({ record_count: 2 });
    const before = writing.calls();
    await Promise.all(Array.from({ length: 10 }, () => dataOf("POST", "/records", { tonnes: 1 })));
    expect(writing.calls() - before).toBe(10);
    expect(await dataOf("GET", "/records/count")).toEqual({ record_count: 12 });
  });

  it("can also have parameters in its path", async () => {
    const { dataOf } = await newTenant();
    expect(await dataOf("PATCH", "/facilities/A%20B", { name: "First" })).toEqual({ name: "First" });
    expect(await dataOf("PATCH", "/facilities/A%20B", { name: "Second" })).toEqual({ name: "Second" });
  });

  it("writes nothing and answers 429 once the limit is exceeded", async () => {
    const { ask, dataOf } = await newTenant({ tier: "free" });
    await Promise.all(Array.from({ length: 99 }, () => ask("GET", "/records/count")));
    expect(await dataOf("POST", "/records", { tonnes: 1 })).toEqual({ record_count: 1 });
    const before = writing.calls();
    const refused = await Promise.all([1, 2, 3].map(() => ask("POST", "/records", { tonnes: 1 })));
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429]);
    expect(writing.calls()).toBe(before);
  });

  it.each([
    ["no body", undefined, {}, 422, "body.tonnes: expected a whole number above 0, got nothing"],
    [
      "another type",
      "tonnes=1",
      { "Content-Type": "text/plain" },
      415,
      "expected application/json, got text/plain.",
    ],
    ["an unknown encoding", "{}", { "Content-Encoding": "zip" }, 415, "Unsupported content type, encoding"],
    [
      "malformed JSON",
      '{"tonnes":',
      {},
      400,
      "body: malformed JSON at line 1, column 11: object value expected",
    ],
    ["more than 256 KB", { tonnes: 1, note: "x".repeat(300_000) }, {}, 413, "The request body is too large."],
  ])("refuses %s in the envelope", async (_what, body, headers, expected, message) => {
    const { ask } = await newTenant();
    const before = writing.calls();
    const answer = await ask("POST", "/records", body, headers);
    expect([answer.status, answer.body.success, answer.body.error?.code]).toEqual([
      expected,
      false,
      expected === 422 ? "VALIDATION_FAILED" : "BAD_REQUEST",
    ]);
    expect(answer.body.error?.message).toContain(message);
    expect(answer.headers.get("x-ratelimit-remaining")).toBe("9999");
    expect(writing.calls()).toBe(before);
  });
});

describe("invalid input", () => {
  it.each([
    ["GET", "/records?limit=abc", undefined, 'query.limit: expected a whole number from 1 to 100, got "abc"'],
    ["GET", "/records?limit=101", undefined, 'query.limit: expected a whole number from 1 to 100, got "101"'],
    ["GET", "/records?limit=1&limit=2", undefined, "query.limit: expected one value, got 2"],
    ["GET", "/records?limt=1", undefined, "query.limt: unknown parameter. Did you mean limit?"],
    [
      "GET",
      "/records?scope=4&limit=0",
      undefined,
      'query.limit: expected a whole number from 1 to 100, got "0"; query.scope: expected one of scope_1, scope_2, scope_3, got "4"',
    ],
  ])(
    "gets BAD_REQUEST with the expected value and the received one: %s %s",
    async (method, path, body, message) => {
      const { ask } = await newTenant();
      const answer = await ask(method, path, body);
      expect(answer.status).toBe(400);
      expect(answer.body.error).toEqual({ code: "BAD_REQUEST", message });
    },
  );

  it.each([
    ["POST", "/records", { tonnes: "1" }, "tonnes", 'expected a whole number above 0, got "1"'],
    ["POST", "/records", [], "", "expected an object, got a list"],
    ["PATCH", "/facilities/a", {}, "name", "expected text, got nothing"],
  ])(
    "gets VALIDATION_FAILED with the problem of each part: %s %s %j",
    async (method, path, body, part, message) => {
      const { ask } = await newTenant();
      const answer = await ask(method, path, body);
      expect(answer.status).toBe(422);
      expect(answer.body.error).toEqual({
        code: "VALIDATION_FAILED",
        message: `body${part && `.${part}`}: ${message}`,
        details: [{ path: part, message }],
      });
    },
  );

  it("in the path gets NOT_FOUND", async () => {
    const { ask } = await newTenant();
    const answer = await ask("GET", "/records/toolong");
    expect([answer.status, answer.body.error?.code]).toEqual([404, "NOT_FOUND"]);
  });

  it("is left out of the message if it contains a key, and truncated if it is long", async () => {
    const { ask } = await newTenant();
    const { key } = await makeKey(gateway.database, await makeOrganization(gateway.database));
    const { message } = (await ask("GET", `/records?limit=${key}`)).body.error ?? {};
    expect(message).not.toContain(key);
    const long = (await ask("GET", `/records?limit=${"9".repeat(1_000)}`)).body.error?.message ?? "";
    expect(long.length).toBeLessThan(150);
  });
});

describe("the methods of a path", () => {
  it("are listed by OPTIONS and 405", async () => {
    const { ask } = await newTenant();
    const options = await ask("OPTIONS", "/records");
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, POST, OPTIONS"]);
    const refused = await ask("DELETE", "/records");
    expect([refused.status, refused.headers.get("allow"), refused.body.error?.message]).toEqual([
      405,
      "GET, HEAD, POST, OPTIONS",
      "DELETE is not allowed here. Use GET or POST.",
    ]);
    const patched = await ask("GET", "/facilities/a");
    expect([patched.status, patched.headers.get("allow")]).toEqual([405, "PATCH, OPTIONS"]);
  });

  it("are described in /openapi.json with the same input schemas", async () => {
    // biome-ignore lint/suspicious/noExplicitAny: the test asserts its shape
    const api: any = (await gateway.call("/openapi.json")).body;
    const { valid, errors } = await new Validator().validate(structuredClone(api));
    expect([valid, errors]).toEqual([true, undefined]);
    const { get, post } = api.paths["/ext/v1/test/records"];
    expect(get.parameters).toEqual([
      {
        name: "limit",
        in: "query",
        required: false,
        description: "Most records.",
        schema: { default: 20, type: "integer", minimum: 1, maximum: 100 },
      },
      {
        name: "scope",
        in: "query",
        required: false,
        schema: { type: "string", enum: ["scope_1", "scope_2", "scope_3"] },
      },
    ]);
    expect([get.operationId, post.operationId]).toEqual(["getRecords", "postRecords"]);
    expect(post.requestBody).toEqual({
      required: true,
      content: { "application/json": { schema: { $ref: "#/components/schemas/PostRecordsRequest" } } },
    });
    expect(api.components.schemas["PostRecordsRequest"]).toMatchObject({
      properties: { tonnes: { type: "integer" }, note: { type: "string", maxLength: 10 } },
      required: ["tonnes"],
    });
    expect(api.paths["/ext/v1/test/facilities/{code}"].patch.parameters).toMatchObject([
      { name: "code", in: "path", required: true, schema: { type: "string" } },
      { name: "Idempotency-Key", in: "header", required: false },
    ]);
  });
});

describe("an invalid endpoint", () => {
  const start = (...bad: typeof endpoints) =>
    startGateway({
      database: gateway.database,
      extension: { ...writing.extension, groups: [{ keysOnly: true, prefixes: [PREFIX], endpoints: bad }] },
    });
  const post = endpoints.find(({ method }) => method === "POST") as (typeof endpoints)[number];

  it("stops the gateway from starting: a mutation behind GET, or a duplicate path", async () => {
    await expect(start({ ...post, method: "GET" })).rejects.toThrow(
      "endpoint /records: GET must run a query",
    );
    await expect(start(post, post)).rejects.toThrow(`two endpoints at POST ${PREFIX}/records`);
  });
});
