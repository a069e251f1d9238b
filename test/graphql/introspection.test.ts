import { readFile } from "node:fs/promises";
import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSchema } from "../../src/graphql/schema.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";

const NO_KEY = {
  errors: [{ message: "No API key. Send it in the X-API-Key header.", extensions: { code: "INVALID_KEY" } }],
};
const OFF = {
  errors: [
    {
      message: "Introspection is off here.",
      locations: expect.any(Array),
      extensions: { code: "GRAPHQL_VALIDATION_FAILED" },
    },
  ],
};
const NAME = { data: { __schema: { queryType: { name: "Query" } } } };

let development: Gateway;
let key: string;
const started: Gateway[] = [];

/** Another gateway of this file, with this environment. */
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
/** A Free key that nobody has used. */
const newKey = async () =>
  (await makeKey(development.database, await makeOrganization(development.database), { tier: "free" })).key;

describe("an operation that only introspects", () => {
  it("gets the whole schema by the standard query, deep as that is, without a key", async () => {
    const everything = { specifiedByUrl: true, directiveIsRepeatable: true, inputValueDeprecation: true };
    const { status, body } = await development.graphql(getIntrospectionQuery(everything));
    expect([status, body.errors]).toEqual([200, undefined]);
    const print = (schema: GraphQLSchema) => printSchema(lexicographicSortSchema(schema));
    const ours = createSchema(await readFile(SCHEMA_FILE, "utf8"));
    expect(print(buildClientSchema(body.data as IntrospectionQuery))).toBe(print(ours));
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

  it("is refused all the same where it is not valid", async () => {
    const { status, body } = await development.graphql("{ __schema { secrets } }");
    expect([status, body.errors?.map(({ extensions }) => extensions.code)]).toEqual([
      400,
      ["GRAPHQL_VALIDATION_FAILED"],
    ]);
    expect(body.data).toBeUndefined();
  });

  it.each([
    ["a field of data beside it", "{ __schema { queryType { name } } organization { name } }"],
    ["a field of data in a fragment", "{ __typename ...F } fragment F on Query { organization { name } }"],
    ["a field of data that is left out", "{ __typename organization @include(if: false) { name } }"],
    ["another operation", "query A { __typename } query B { organization { name } }"],
    ["a fragment that is not there", "{ __typename ...F }"],
  ])("needs a key, and pays, with %s", async (_what, query) => {
    const without = await development.graphql(query);
    expect([without.status, without.headers.get("www-authenticate")]).toEqual([401, "ApiKey"]);
    expect(without.body).toEqual(NO_KEY);
    expect(remaining(await development.graphql(query, await newKey()))).toBe("99");
  });
});

describe("introspection", () => {
  const QUERY = "{ __schema { queryType { name } } }";

  it.each([
    ["on in development", {}, true],
    ["off in production", { NODE_ENV: "production" }, false],
    [
      "on where GRAPHQL_INTROSPECTION is true",
      { NODE_ENV: "production", GRAPHQL_INTROSPECTION: "true" },
      true,
    ],
    ["off where GRAPHQL_INTROSPECTION is false", { GRAPHQL_INTROSPECTION: "false" }, false],
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

  it("that is off leaves __typename, which clients add to every query, to those with a key", async () => {
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
    ["where GRAPHQL_SANDBOX is true", { NODE_ENV: "production", GRAPHQL_SANDBOX: "true" }, true],
    ["not where GRAPHQL_SANDBOX is false", { GRAPHQL_SANDBOX: "false" }, false],
  ])("is what a browser gets, without a key: %s", async (_what, env, on) => {
    const gateway = await startWith(env);
    const [page, root] = [await browse(gateway, "/graphql"), await browse(gateway, "/")];
    const text = await page.text();
    if (on) {
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(text).toMatch(/^\s*<!DOCTYPE html>[\s\S]*embeddable-sandbox/);
      expect([root.status, root.headers.get("location")]).toEqual([302, "/graphql"]);
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

  it("opens with an operation that is answered in full", async () => {
    const page = await (await browse(development, "/graphql")).text();
    const [, document = ""] = /"document":("(?:[^"\\]|\\.)*")/.exec(page) ?? [];
    const { status, body } = await development.graphql(JSON.parse(document), key);
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(Object.values(body.data)).not.toContain(null);
  });

  it("does not come in the place of data: a client that takes JSON gets that", async () => {
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
