import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireQuickNeighbour } from "../fuzz/neighbour.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type Answer, type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";

// biome-ignore lint/suspicious/noExplicitAny: the body of an error, of either door
type Body = any;

let gateway: Gateway;
let ada: TestPerson;
beforeAll(async () => {
  gateway = await startGateway();
  ada = await signUp(gateway);
});
afterAll(() => gateway.stop());

const PREFERENCES = "/v1/users/me/notification-preferences";
const QUERY = "query ($filter: EmissionRecordFilter) { emissions(filter: $filter) { recordCount } }";
const PATCH =
  "mutation ($patch: JSONObject!) { updateNotificationPreferences(patch: $patch) { preferences { version } } }";

const send = (path: string, method: string, body: string): Promise<Answer<Body>> =>
  ada.call(path, { method, body, headers: { "Content-Type": "application/json" } });
const many = (count: number, name = (index: number) => `k${index}`) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), true]));
const sizeOf = ({ body }: Answer<Body>) => JSON.stringify(body).length;

/** Requests of every kind that carry JSON, with `value` inside it. */
const DOORS: readonly [string, string, string, (value: string) => string][] = [
  ["the graph", "/graphql", "POST", (value) => `{"query":"{ viewer { id } }","variables":{"a":${value}}}`],
  ["a list of records", "/v1/emissions/records", "POST", (value) => `{"records":${value}}`],
  ["an object", "/v1/facilities", "POST", (value) => `{"code":${value}}`],
  ["a merge patch", PREFERENCES, "PATCH", (value) => `{"channels":${value}}`],
  ["a sign-in", "/v1/auth/login", "POST", (value) => `{"email":${value}}`],
];

describe.each(DOORS)("JSON for %s", (_name, path, method, bodyOf) => {
  it.each([
    ["nested 100,000 deep", "[".repeat(100_000) + "]".repeat(100_000), "levels"],
    ["objects nested 40,000 deep", `${'{"a":'.repeat(40_000)}1${"}".repeat(40_000)}`, "levels"],
    ["a list of 1,001 items", JSON.stringify(Array(1_001).fill(1)), "items"],
    ["an object with 10,000 members", JSON.stringify(many(10_000)), "members"],
    ["100 lists of 999 items", JSON.stringify(Array(100).fill(Array(999).fill(1))), "values"],
  ])("is refused if it has %s", async (_what, value, unit) => {
    const { status, body } = await send(path, method, bodyOf(value));
    expect(status).toBe(400);
    const { message, code } =
      path === "/graphql" ? { ...body.errors[0], ...body.errors[0].extensions } : body.error;
    expect([message, code]).toEqual([
      expect.stringMatching(new RegExp(`^The JSON body .*; at most \\d+ ${unit} are allowed\\.$`)),
      "BAD_REQUEST",
    ]);
  });
});

describe("a body of 2 MB", () => {
  const RECORDS = "/v1/emissions/records";
  const members = `{${Array.from({ length: 150_000 }, (_, index) => `"k${index}":1`).join()}}`;
  it.each([
    ["has 150,000 members", members, /^The JSON body has an object that is too large; at most 1000 members/],
    ["is malformed at its end", `{"a":"${"x".repeat(1_900_000)}"`, /^body: malformed JSON/],
    ["has 1,900,000 lines before a fault", `{${"\n".repeat(1_900_000)}"a"}`, /^body: malformed JSON/],
    ["is a text", JSON.stringify("x".repeat(1_900_000)), /^body: expected a JSON object or list/],
  ])("delays nobody if it %s", async (_what, json, message) => {
    const other = await makeOrganization(gateway.database);
    const { key } = await makeKey(gateway.database, other, { tier: "enterprise" });
    const { status, body } = await requireQuickNeighbour(
      () => send(RECORDS, "POST", json),
      () => gateway.rest("/emissions", key),
    );
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(message)]);
  });

  it("is not read if the caller lacks the scope", async () => {
    const { key } = await makeKey(gateway.database, ada.organization.slug, { scopes: ["read:emissions"] });
    const answer = await gateway.call<Body>(RECORDS, {
      method: "POST",
      body: "no JSON",
      headers: { "Content-Type": "application/json", "X-API-Key": key },
    });
    expect([answer.status, answer.body.error.code]).toEqual([401, "INVALID_KEY"]);
  });

  it("must be UTF-8", async () => {
    const answer = await ada.call<Body>(RECORDS, {
      method: "POST",
      body: Buffer.from(`{"records":[]}`, "utf16le"),
      headers: { "Content-Type": "application/json; charset=utf-16" },
    });
    expect([answer.status, answer.body.error.message]).toEqual([415, "Unsupported charset: expected UTF-8."]);
  });
});

describe("an error about invalid input", () => {
  it("names 20 problems, and counts the others", async () => {
    const rest = await send(PREFERENCES, "PATCH", JSON.stringify(many(1_000)));
    expect([rest.status, rest.body.error.details.length, rest.body.error.details.at(-1)]).toEqual([
      422,
      21,
      { path: "", message: "and 980 more" },
    ]);
    const graph = await ada.graphql(PATCH, { patch: many(1_000) });
    expect(graph.body.errors?.[0]?.extensions.details).toEqual(rest.body.error.details);
    const items = await send("/v1/calc/ghg", "POST", JSON.stringify({ items: Array(100).fill({}) }));
    expect(items.body.error).toMatchObject({ details: { length: 21 } });
    expect(items.body.error.message).toMatch(/; and \d+ more$/);
  });

  it("names 20 GraphQL errors, and counts the others", async () => {
    const unknown = await ada.graphql(
      `{ ${Array.from({ length: 60 }, (_, index) => `a${index}`).join(" ")} }`,
    );
    expect([unknown.body.errors?.length, unknown.body.errors?.at(-1)?.message]).toEqual([
      21,
      "and 41 more errors",
    ]);
    const coerced = await ada.graphql(QUERY, { filter: many(1_000) });
    expect(coerced.body.errors?.length).toBe(21);
  });

  it("quotes only part of a long name or value", async () => {
    const long = "x".repeat(200_000);
    const answers = await Promise.all([
      send(PREFERENCES, "PATCH", JSON.stringify({ [long]: true })),
      send("/v1/facilities", "POST", JSON.stringify({ [long]: true, code: long })),
      send("/v1/calc/ghg", "POST", JSON.stringify({ items: [{ [long]: true, gas: long }] })),
      ada.graphql(PATCH, { patch: { [long]: long } }),
      ada.graphql(QUERY, { filter: { [long]: long, scopes: [long] } }),
      ada.graphql(QUERY, { filter: long }),
    ]);
    for (const answer of answers)
      expect([answer.status >= 400, sizeOf(answer) < 10_000]).toEqual([true, true]);
  });
});
