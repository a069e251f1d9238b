import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KEY_SCOPES } from "../../src/domain/scopes.js";
import { addBenchmark, addDeadline } from "../support/fixtures.js";
import { type Gateway, type GraphqlBody, startGateway } from "../support/server.js";
import { newTenant } from "./tenant.js";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

describe("a key that lacks a scope", () => {
  it.each(KEY_SCOPES)(
    "gets null and an error for fields that need %s, and all other fields",
    async (scope) => {
      const { ask } = await newTenant(gateway, { scopes: KEY_SCOPES.filter((other) => other !== scope) });
      const field = scope.replace("read:", "");
      const data = {
        emissions: { recordCount: 0 },
        compliance: { frameworks: [] },
        credits: { retiredCount: 0 },
        benchmarks: { items: [] },
        market: { prices: [] },
      };
      const { status, body } = await ask(`{
      emissions { recordCount }
      compliance { frameworks { status } }
      credits { retiredCount }
      benchmarks { items { sector } }
      market { prices { price } }
    }`);

      expect(status).toBe(200);
      expect(body).toEqual({
        data: { ...data, [field]: null },
        errors: [
          {
            message: `The API key lacks the scope ${scope}.`,
            locations: [expect.any(Object)],
            path: [field],
            extensions: { code: "INVALID_KEY", reason: "insufficient_scope", requiredScopes: [[scope]] },
          },
        ],
      });
    },
  );

  it("gets the error under the requested alias", async () => {
    const { ask } = await newTenant(gateway, { scopes: ["read:market"] });
    const { body } = await ask("{ mine: emissions { recordCount } market { isLiveFeedConnected } }");
    expect(body.data).toEqual({ mine: null, market: { isLiveFeedConnected: false } });
    expect(body.errors?.map(({ path }) => path)).toEqual([["mine"]]);
  });
});

describe("an operation", () => {
  const BOTH = "query Who { organization { name } } query Budget { rateLimit { limit } }";

  it("may use variables, defaults, aliases, fragments and directives", async () => {
    const { slug, dataOf } = await newTenant(gateway);
    await addDeadline(gateway.database, slug, { title: "One", dueDate: "2026-12-01" });
    await addDeadline(gateway.database, slug, { title: "Two", dueDate: "2026-12-02" });
    const query = `
      query Deadlines($few: Int = 1, $many: Int!, $named: Boolean!) {
        few: compliance { ...Titles }
        compliance { many: upcomingDeadlines(first: $many) { ... on Deadline { dueDate } } }
        organization @include(if: $named) { name }
        __typename
      }
      fragment Titles on Compliance { upcomingDeadlines(first: $few) { title __typename } }`;

    expect(await dataOf(query, { many: 2, named: false })).toEqual({
      few: { upcomingDeadlines: [{ title: "One", __typename: "Deadline" }] },
      compliance: { many: [{ dueDate: "2026-12-01" }, { dueDate: "2026-12-02" }] },
      __typename: "Query",
    });
  });

  it.each([
    ["Who", { organization: { name: "Acme" } }],
    ["Budget", { rateLimit: { limit: 10_000 } }],
  ])("is selected by name among several: %s", async (operationName, data) => {
    const { key } = await newTenant(gateway);
    const answer = await fetch(`${gateway.url}/graphql`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-API-Key": key },
      body: JSON.stringify({ query: BOTH, operationName }),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { data, extensions: { cost: 1 } }]);
  });

  it("can be sent by GET, with its variables and name in the URL", async () => {
    const { key } = await newTenant(gateway);
    await addBenchmark(gateway.database, { sector: "Cement" });
    await addBenchmark(gateway.database, { sector: "Steel" });
    const parameters = new URLSearchParams({
      query: `${BOTH} query Sectors($like: String) { benchmarks(sector: $like) { items { sector } } }`,
      variables: JSON.stringify({ like: "cem" }),
      operationName: "Sectors",
    });
    const answer = await fetch(`${gateway.url}/graphql?${parameters}`, { headers: { "X-API-Key": key } });

    expect([answer.status, answer.headers.get("x-ratelimit-remaining")]).toEqual([200, "9999"]);
    expect(await answer.json()).toEqual({
      data: { benchmarks: { items: [{ sector: "Cement" }] } },
      // One point for the root field, and one for each item that a list without a size may have.
      extensions: { cost: 101 },
    });
  });

  it("may have an empty name, and empty variables and extensions, which are omitted", async () => {
    const { key } = await newTenant(gateway);
    const query = "{ __typename }";
    const empty = { operationName: "", variables: "", extensions: "" };
    const sent: RequestInit = { headers: { "X-API-Key": key } };
    const parameters = new URLSearchParams({ query, ...empty });
    const { body } = await gateway.call<GraphqlBody>(`/graphql?${parameters}`, sent);
    expect(body.data).toEqual({ __typename: "Query" });
    const json = JSON.stringify({ query, ...empty });
    const headers = { ...sent.headers, "Content-Type": "application/json" };
    const posted = await gateway.call<GraphqlBody>("/graphql", { method: "POST", headers, body: json });
    expect(posted.body.data).toEqual({ __typename: "Query" });
  });

  it("is answered as JSON that caches may not store, with the caller's request id", async () => {
    const { key } = await newTenant(gateway);
    const id = "3f0c1a52-6f4e-4c8b-9d57-2b8a9c0e7d17";
    const { headers } = await fetch(`${gateway.url}/graphql`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-API-Key": key, "X-Request-Id": id },
      body: JSON.stringify({ query: "{ organization { name } }" }),
    });
    const names = ["content-type", "cache-control", "vary", "x-content-type-options", "x-request-id"];
    expect(names.map((name) => headers.get(name))).toEqual([
      "application/json; charset=utf-8",
      "private, no-store",
      "X-API-Key",
      "nosniff",
      id,
    ]);
  });
});
