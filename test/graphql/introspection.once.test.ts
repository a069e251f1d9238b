import { readFile } from "node:fs/promises";
import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSchema } from "../../src/graphql/schema/schema.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";

const NO_KEY = {
  errors: [
    {
      message: "No API key. Send it in the X-API-Key header.",
      extensions: { code: "INVALID_KEY", reason: "missing" },
    },
  ],
};
const OFF = {
  errors: [
    {
      message: "Introspection is disabled.",
      locations: expect.any(Array),
      extensions: { code: "GRAPHQL_VALIDATION_FAILED" },
    },
  ],
};
const NAME = { data: { __schema: { queryType: { name: "Query" } } } };

let development: Gateway;
let key: string;
const started: Gateway[] = [];

/** Starts another gateway on the same database, with `env`. */
async function startWith(env: Record<string, string>): Promise<Gateway> {
  const gateway = await startGateway({ env, database: development.database });
  started.push(gateway);
  return gateway;
}

beforeAll(async () => {
  development = await startGateway();
  ({ key } = await makeKey(development.database, await makeOrganization(development.database)));
});
afterAll(async () => {
  for (const gateway of started) await gateway.stop();
  await development.stop();
});

const remaining = ({ headers }: { headers: Headers }) => headers.get("x-ratelimit-remaining");
/** Creates an unused Free key. */
const newKey = async () =>
  (await makeKey(development.database, await makeOrganization(development.database), { tier: "free" })).key;

describe("an introspection operation", () => {
  it("gets the whole schema with the standard query, despite its depth, without a key", async () => {
    const everything = {
      schemaDescription: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      inputValueDeprecation: true,
    };
    const { status, body } = await development.graphql(getIntrospectionQuery(everything));
    expect([status, body.errors]).toEqual([200, undefined]);
    const print = (schema: GraphQLSchema) => printSchema(lexicographicSortSchema(schema));
    const ours = createSchema(await readFile(SCHEMA_FILE, "utf8"));
    expect(print(buildClientSchema(body.data as IntrospectionQuery))).toBe(print(ours));
  });

  it("gets the descriptions of schema.graphql, with the scopes that fields require", async () => {
    const { body } = await development.graphql(
      getIntrospectionQuery({ schemaDescription: true, specifiedByUrl: true }),
    );
    const withoutScopes = JSON.stringify(body.data).replaceAll(/(?:\\n\\nScope: `[^`]+`\.)+/g, "");
    const served = buildClientSchema(JSON.parse(withoutScopes));
    const print = (schema: GraphQLSchema) => printSchema(lexicographicSortSchema(schema));
    expect(print(served)).toBe(print(buildSchema(await readFile(SCHEMA_FILE, "utf8"))));
  });

  it.each([
    ["under an alias", "{ s: __schema { queryType { name } } }", { s: { queryType: { name: "Query" } } }],
    ["in a fragment", "{ ...F } fragment F on Query { __typename }", { __typename: "Query" }],
    ["of one type", '{ __type(name: "Tier") { enumValues { name } } }', expect.any(Object)],
  ])("is free, and needs no key: %s", async (_what, query, data) => {
    const value = await newKey();
    for (const caller of [undefined, "rubbish", value]) {
      const { status, headers, body } = await development.graphql(query, caller);
      expect([status, headers.get("ratelimit"), body]).toEqual([200, null, { data }]);
    }
    expect(remaining(await development.graphql("{ rateLimit { used } }", value))).toBe("99");
  });

  it("is refused if it is invalid", async () => {
    const { status, body } = await development.graphql("{ __schema { secrets } }");
    expect([status, body.errors?.map(({ extensions }) => extensions.code)]).toEqual([
      400,
      ["GRAPHQL_VALIDATION_FAILED"],
    ]);
    expect(body.data).toBeUndefined();
  });

  it.each([
    ["a field of data next to it", "{ __schema { queryType { name } } organization { name } }"],
    ["a field of data in a fragment", "{ __typename ...F } fragment F on Query { organization { name } }"],
    ["a field of data that is left out", "{ __typename organization @include(if: false) { name } }"],
    ["another operation and no name", "query A { __typename } query B { organization { name } }"],
    ["a fragment that does not exist", "{ __typename ...F }"],
  ])("needs a key, and counts against its budget, with %s", async (_what, query) => {
    const without = await development.graphql(query);
    expect([without.status, without.headers.get("www-authenticate")]).toEqual([
      401,
      'ApiKey error="missing"',
    ]);
    expect(without.body).toEqual(NO_KEY);
    expect(remaining(await development.graphql(query, await newKey()))).toBe("99");
  });
});

describe("a document of several operations", () => {
  const DOCUMENT = "query A { __schema { queryType { name } } } query B { organization { name } }";
  const send = async (operationName: string, value?: string) => {
    const headers = { "Content-Type": "application/json", ...(value && { "X-API-Key": value }) };
    const body = JSON.stringify({ query: DOCUMENT, operationName });
    const answer = await fetch(`${development.url}/graphql`, { method: "POST", headers, body });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };

  it("is free, and needs no key, if the requested one only introspects", async () => {
    const value = await newKey();
    for (const caller of [undefined, value]) {
      const { status, headers, body } = await send("A", caller);
      expect([status, headers.get("ratelimit"), body]).toEqual([200, null, NAME]);
    }
    const search = new URLSearchParams({ query: DOCUMENT, operationName: "A" });
    const answer = await fetch(`${development.url}/graphql?${search}`, {
      headers: { "Apollo-Require-Preflight": "true" },
    });
    expect([answer.status, await answer.json()]).toEqual([200, NAME]);
    expect(remaining(await development.graphql("{ rateLimit { used } }", value))).toBe("99");
  });

  it.each(["B", "C"])(
    "needs a key for any other operation, even one that does not exist: %s",
    async (name) => {
      const { status, body } = await send(name);
      expect([status, body]).toEqual([401, NO_KEY]);
    },
  );
});

describe("introspection that repeats or nests itself", () => {
  const TYPES = "types { name description fields { name description args { name } type { ...T } } }";
  const REF = "fragment T on __Type { name kind ofType { name kind ofType { name kind ofType { name } } } }";
  const times = (count: number, part: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => part(index)).join(" ");
  const refusals = async (query: string) => {
    const { status, body } = await development.graphql(query);
    expect([status, body.data]).toEqual([400, undefined]);
    return body.errors?.map(({ extensions }) => [extensions.code, extensions.measure]);
  };

  it.each([
    [
      "`__schema` under aliases",
      `{ ${times(30, (i) => `a${i}: __schema { ...S }`)} } fragment S on __Schema { ${TYPES} } ${REF}`,
      "schemas",
    ],
    ["twice", "{ a: __schema { queryType { name } } b: __schema { queryType { name } } }", "schemas"],
    [
      "in fragments",
      `{ ...A ...B } fragment A on Query { a: __schema { queryType { name } } } fragment B on Query { ...C } fragment C on Query { b: __schema { queryType { name } } }`,
      "schemas",
    ],
    ["its types under aliases", `{ __schema { ${times(25, (i) => `a${i}: ${TYPES}`)} } } ${REF}`, "cost"],
    [
      "`__type` under aliases",
      `{ ${times(90, (i) => `a${i}: __type(name: "Query") { ...F }`)} } ${REF}
       fragment F on __Type { fields { type { ...D ofType { ...D ofType { ...D } } } } }
       fragment D on __Type { fields { args { type { ...T } } type { ...T fields { type { ...T } } } } }`,
      "cost",
    ],
    [
      "deeper than the standard query",
      `{ __schema { types { ${"ofType { ".repeat(13)} name ${" }".repeat(13)} } } }`,
      "depth",
    ],
  ])("is refused: %s", async (_what, query, measure) => {
    expect(await refusals(query)).toContainEqual(["BAD_USER_INPUT", measure]);
  });

  it.each([
    [
      "a few types",
      `{ ${times(6, (i) => `a${i}: __type(name: "Market") { name fields { name type { ...T } } }`)} } ${REF}`,
    ],
    ["the standard query with nothing extra", getIntrospectionQuery({ descriptions: false })],
    [
      "the standard query with a short chain of types",
      getIntrospectionQuery().replace(/(ofType \{\s+kind\s+name\s+)ofType \{\s+kind\s+name\s+\}/, "$1"),
    ],
    [
      "with `__typename` everywhere",
      getIntrospectionQuery().replaceAll(/(?<=\{\s+)(name|kind)\b/g, "__typename $1"),
    ],
  ])("is answered if client tools send it: %s", async (_what, query) => {
    const { status, body } = await development.graphql(query);
    expect([status, body.errors]).toEqual([200, undefined]);
  });

  it("is limited in the same way if the operation also selects data", async () => {
    const query = `{ organization { slug } __schema { types { fields { name } } } }`;
    const { status, body } = await development.graphql(query, await newKey());
    expect([status, body.errors, body.data?.organization]).toEqual([200, undefined, expect.anything()]);
    const twice = `{ organization { slug } a: __schema { queryType { name } } b: __schema { queryType { name } } }`;
    expect((await development.graphql(twice, await newKey())).status).toBe(400);
  });

  it("is answered according to its variables each time", async () => {
    const query = "query ($name: String!) { __type(name: $name) { name } }";
    for (const name of ["Market", "Tier", "Market", "None"]) {
      const { body } = await development.graphql(query, undefined, { name });
      expect(body).toEqual({ data: { __type: name === "None" ? null : { name } } });
    }
  });
});

describe("introspection", () => {
  const QUERY = "{ __schema { queryType { name } } }";

  it.each([
    ["on in development", {}, true],
    ["off in production", { NODE_ENV: "production" }, false],
    ["on if GRAPHQL_INTROSPECTION is true", { NODE_ENV: "production", GRAPHQL_INTROSPECTION: "true" }, true],
    ["off if GRAPHQL_INTROSPECTION is false", { GRAPHQL_INTROSPECTION: "false" }, false],
  ])("is %s", async (_what, env, on) => {
    const gateway = await startWith(env);
    const without = await gateway.graphql(QUERY);
    const value = await newKey();
    const withKey = await gateway.graphql(QUERY, value);
    if (on) {
      expect([without.status, without.body]).toEqual([200, NAME]);
      expect([withKey.status, remaining(withKey), withKey.body]).toEqual([200, null, NAME]);
    } else {
      expect([without.status, without.body]).toEqual([401, NO_KEY]);
      expect([withKey.status, remaining(withKey), withKey.body]).toEqual([400, "99", OFF]);
    }
  });

  it("that is off still answers __typename, which clients add to queries, with a key", async () => {
    const gateway = await startWith({ GRAPHQL_INTROSPECTION: "false" });
    expect((await gateway.graphql("{ __typename }")).body).toEqual(NO_KEY);
    const { body } = await gateway.graphql("{ __typename organization { __typename name } }", key);
    expect(body).toEqual({
      data: { __typename: "Query", organization: { __typename: "Organization", name: "Acme" } },
    });
  });
});

describe("Apollo Sandbox", () => {
  const browse = (gateway: Gateway, path: string) =>
    fetch(`${gateway.url}${path}`, { headers: { Accept: "text/html,*/*;q=0.8" }, redirect: "manual" });

  it.each([
    ["in development", {}, true],
    ["not in production", { NODE_ENV: "production" }, false],
    ["if GRAPHQL_SANDBOX is true", { NODE_ENV: "production", GRAPHQL_SANDBOX: "true" }, true],
    ["not if GRAPHQL_SANDBOX is false", { GRAPHQL_SANDBOX: "false" }, false],
  ])("is what a browser gets, without a key: %s", async (_what, env, on) => {
    const gateway = await startWith({ CONSOLE: "false", ...env });
    const [page, root] = [await browse(gateway, "/graphql"), await browse(gateway, "/")];
    const text = await page.text();
    if (on) {
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(text).toMatch(/^<!DOCTYPE html>[\s\S]*embeddable-sandbox/);
      expect([root.status, root.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    } else {
      expect([page.status, page.headers.get("content-type")]).toEqual([
        400,
        "application/json; charset=utf-8",
      ]);
      expect(JSON.parse(text)).toEqual({
        errors: [{ message: expect.any(String), extensions: { code: "BAD_REQUEST" } }],
      });
      expect([root.status, root.headers.get("content-type")]).toEqual([
        404,
        "application/json; charset=utf-8",
      ]);
    }
  });

  it("opens with an operation that succeeds", async () => {
    const page = await (await browse(development, "/graphql")).text();
    const [, state = ""] = /data-state="([^"]*)"/.exec(page) ?? [];
    const text = state.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)));
    const { status, body } = await development.graphql(JSON.parse(text).document, key);
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(Object.values(body.data)).not.toContain(null);
  });

  it("does not replace data: a client that accepts JSON gets JSON", async () => {
    const query = new URLSearchParams({ query: "{ organization { name } }" });
    const answer = await fetch(`${development.url}/graphql?${query}`, {
      headers: { "X-API-Key": key, Accept: "application/json, text/html;q=0.5" },
    });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { data: { organization: { name: "Acme" } }, extensions: { cost: 1 } },
    ]);
  });
});

describe("introspection without a key", () => {
  it("is limited to 120 different documents a minute for each address; cached answers do not count", async () => {
    const gateway = await startWith({});
    const ask = async (alias: string) =>
      (await gateway.graphql(`{ ${alias}: __schema { queryType { name } } }`)).status;
    for (let sent = 0; sent < 120; sent += 1) expect(await ask(`a${sent % 60}`)).toBe(200);
    const statuses: number[] = [];
    for (let sent = 0; sent < 61; sent += 1) statuses.push(await ask(`b${sent}`));
    expect(statuses).toEqual([...Array(60).fill(200), 429]);
    expect((await gateway.graphql("{ organization { name } }", key)).status).toBe(200);
  });
});
