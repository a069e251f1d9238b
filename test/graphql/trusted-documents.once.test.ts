import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.js";
import { OperatorError } from "../../src/errors.js";
import { CONSOLE_DOCUMENTS } from "../../src/generated/console-documents.js";
import { COST_LIMITS, QUERY_LIMITS } from "../../src/limits/cost/query-limits.js";
import { listDocuments } from "../../src/rest/catalogued.js";
import { addFacility } from "../support/fixtures.js";
import { makeFolder } from "../support/process.js";
import {
  type Gateway,
  type GraphqlBody,
  makeKey,
  makeOrganization,
  startGateway,
} from "../support/server.js";
import { listV1 } from "../support/v1.js";
import { error, expectRefusal, JSON_TYPE } from "./refusal.js";

const NAME = "query Name { organization { name } }";
const FRAMEWORKS =
  "query Frameworks($statuses: [FrameworkStatus!]) { compliance { frameworks(statuses: $statuses) { status } } }";
const BOTH = "query Who { organization { name } } query Budget { rateLimit { tier } }";
const EXPENSIVE = `{ emissions { ${Array.from({ length: 26 }, (_, index) => `f${index}: byFacility(first: 100) { facility { code } }`).join(" ")} } }`;
const UNTRUSTED = "{ organization { slug } }";
/** Codes and measures of errors about invalid documents or limits. */
const LIMITS = ["GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED", ...Object.keys(QUERY_LIMITS), "cost"];
const catalogued = listDocuments(await listV1());
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

const folder = makeFolder();
/** Writes a file with a string, or with an object as JSON; returns its path. */
function fileOf(name: string, content: string | object): string {
  const file = join(folder.path, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}
const documents = fileOf("trusted.json", {
  name: NAME,
  [hashOf(FRAMEWORKS)]: FRAMEWORKS,
  both: BOTH,
  expensive: EXPENSIVE,
});

/** Serves trusted documents and all others. */
let open: Gateway;
/** Serves only trusted documents. */
let locked: Gateway;
let key: string;

beforeAll(async () => {
  open = await startGateway({ env: { GRAPHQL_TRUSTED_DOCUMENTS: documents } });
  const { database } = open;
  locked = await startGateway({
    env: { GRAPHQL_TRUSTED_DOCUMENTS: documents, GRAPHQL_ONLY_TRUSTED: "true" },
    database,
  });
  ({ key } = await makeKey(database, await makeOrganization(database)));
});
afterAll(async () => {
  await locked.stop();
  await open.stop();
  folder.remove();
});

const post = (gateway: Gateway, body: unknown, value: string | null = key) =>
  fetch(`${gateway.url}/graphql`, {
    method: "POST",
    headers: { ...JSON_TYPE, ...(value !== null && { "X-API-Key": value }) },
    body: JSON.stringify(body),
  });
/** Sends a GET with a query string. */
const get = (gateway: Gateway, search: string) =>
  fetch(`${gateway.url}/graphql?${search}`, { headers: { "X-API-Key": key } });
const search = (query: string) => `query=${encodeURIComponent(query)}`;
const byHash = (sha256Hash: unknown) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } });

async function expectData(answer: Response, data: object): Promise<void> {
  const { extensions: _, ...body } = (await answer.json()) as GraphqlBody & { extensions?: object };
  expect([answer.status, body]).toEqual([200, { data }]);
}

const ACME = { organization: { name: "Acme" } };
const ONLY_TRUSTED = error("BAD_REQUEST", "Only trusted documents are served. Send the documentId of one.");
const NO_SUCH_ID = error("BAD_REQUEST", "Unknown documentId: no trusted document has it.");

describe.each([
  ["next to other texts", () => open],
  ["alone", () => locked],
])("a trusted document, served %s", (_what, gateway) => {
  it("is executed by its id", async () => {
    await expectData(await post(gateway(), { documentId: "name" }), ACME);
  });

  it("is executed by its hash as Apollo Client sends it, with or without the text", async () => {
    const hash = byHash(hashOf(FRAMEWORKS));
    const data = { compliance: { frameworks: [] } };
    await expectData(await post(gateway(), { ...hash, variables: { statuses: ["COMPLIANT"] } }), data);
    await expectData(await post(gateway(), { ...hash, query: FRAMEWORKS }), data);
  });

  it("is executed by its exact text, by POST and by GET", async () => {
    await expectData(await post(gateway(), { query: NAME }), ACME);
    await expectData(await get(gateway(), search(NAME)), ACME);
  });

  it("may contain several operations, selected by name", async () => {
    const body = { documentId: "both", operationName: "Budget" };
    await expectData(await post(gateway(), body), { rateLimit: { tier: "ENTERPRISE" } });
  });

  it("is executed instead of a text that is sent with its id", async () => {
    await expectData(await post(gateway(), { documentId: "name", query: UNTRUSTED }), ACME);
  });

  it.each([["nobody"], [""], [7], [null], [["name"]], ["__proto__"], ["toString"]])(
    "is not found by any other id: %j",
    async (documentId) => {
      await expectRefusal(await post(gateway(), { documentId }), 400, NO_SUCH_ID);
      await expectRefusal(await post(gateway(), { documentId, query: NAME }), 400, NO_SUCH_ID);
    },
  );

  it("is not found by any other hash", async () => {
    const answer = await post(gateway(), byHash(hashOf(UNTRUSTED)));
    const { data, errors = [] } = (await answer.json()) as GraphqlBody;
    expect(data).toBeUndefined();
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(["PERSISTED_QUERY_NOT_SUPPORTED"]);
  });

  it("needs a key", async () => {
    const message = "No API key. Send it in the X-API-Key header.";
    const missing = error("INVALID_KEY", message, { reason: "missing" });
    await expectRefusal(await post(gateway(), { documentId: "name" }, null), 401, missing);
  });

  it("needs the scopes of its fields", async () => {
    const { database } = gateway();
    const other = await makeKey(database, await makeOrganization(database), { scopes: ["read:market"] });
    const answer = await post(gateway(), { documentId: hashOf(FRAMEWORKS) }, other.key);
    const { data, errors = [] } = (await answer.json()) as GraphqlBody;
    expect([answer.status, data]).toEqual([200, { compliance: null }]);
    expect(errors.map(({ path, extensions }) => [path, extensions])).toEqual([
      [
        ["compliance"],
        { code: "INVALID_KEY", reason: "insufficient_scope", requiredScopes: [["read:compliance"]] },
      ],
    ]);
  });

  it("costs what its text would, and is refused over the tier's limit", async () => {
    const { database } = gateway();
    const answer = await post(gateway(), { documentId: "name" });
    expect(await answer.json()).toMatchObject({ extensions: { cost: 1 } });
    const free = await makeKey(database, await makeOrganization(database), { tier: "free" });
    const refused = await post(gateway(), { documentId: "expensive" }, free.key);
    const { data, errors = [] } = (await refused.json()) as GraphqlBody;
    expect([refused.status, data]).toEqual([400, undefined]);
    expect(errors.map(({ extensions }) => extensions)).toEqual([
      {
        code: "BAD_USER_INPUT",
        measure: "cost",
        limit: COST_LIMITS.free,
        estimate: 5_201,
        mostExpensive: expect.any(Object),
      },
    ]);
  });

  it("uses one unit of the budget", async () => {
    const { database } = gateway();
    const free = await makeKey(database, await makeOrganization(database), { tier: "free" });
    const { headers } = await post(gateway(), { documentId: "name" }, free.key);
    expect(headers.get("x-ratelimit-remaining")).toBe("99");
  });

  it("cannot be sent in a batch", async () => {
    const answer = await post(gateway(), [{ documentId: "name" }, { documentId: "name" }]);
    const { data, errors = [] } = (await answer.json()) as GraphqlBody;
    expect([answer.status, data]).toEqual([400, undefined]);
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(["BAD_REQUEST"]);
  });
});

describe.each([
  ["next to other texts", () => open],
  ["alone", () => locked],
])("the REST operations, if trusted documents are served %s", (_what, gateway) => {
  it("return the same by name, hash and text, at the cost of the endpoint", async () => {
    const { listFacilities: query = "" } = catalogued;
    const { database, call, log } = gateway();
    const slug = await makeOrganization(database);
    const { key } = await makeKey(database, slug);
    const { code } = await addFacility(database, slug);
    await call("/v1/facilities?limit=7", { headers: { "X-API-Key": key } });
    const cost = log().findLast(({ path }) => path === "/v1/facilities")?.["cost"];
    const data = { facilities: { nodes: [expect.objectContaining({ code })], pageInfo: expect.anything() } };
    for (const way of [{ query }, { documentId: "listFacilities" }, byHash(hashOf(query))]) {
      const answer = await post(gateway(), { ...way, variables: { first: 7 } }, key);
      expect([answer.status, await answer.json()]).toEqual([200, { data, extensions: { cost } }]);
    }
  });

  it("are within the limits of a document", async () => {
    for (const documentId of Object.keys(catalogued)) {
      const { errors = [] } = (await (await post(gateway(), { documentId })).json()) as GraphqlBody;
      const codes = errors.map(({ extensions }) => extensions.measure ?? extensions.code);
      expect([documentId, codes.filter((code) => LIMITS.includes(code))]).toEqual([documentId, []]);
    }
  });
});

describe("a gateway that serves only trusted documents", () => {
  it.each([
    ["another text", { query: UNTRUSTED }],
    ["a trusted text with one more space", { query: `${NAME} ` }],
    ["a text in a list", { query: [UNTRUSTED] }],
    ["an empty text", { query: "" }],
    ["another text with its own hash", { query: UNTRUSTED, ...byHash(hashOf(UNTRUSTED)) }],
    ["introspection", { query: "{ __schema { queryType { name } } }" }],
  ])("refuses %s, with and without a key", async (_what, body) => {
    await expectRefusal(await post(locked, body), 400, ONLY_TRUSTED);
    await expectRefusal(await post(locked, body, null), 400, ONLY_TRUSTED);
  });

  it.each([
    ["another text", search(UNTRUSTED)],
    ["a trusted text and another", `${search(NAME)}&${search(UNTRUSTED)}x`],
    ["another text and a trusted one", `${search(UNTRUSTED)}&${search(NAME)}`],
    ["a text behind more parameters than Express reads", `${"a&".repeat(1_500)}${search(UNTRUSTED)}`],
    ["a text under an encoded name", search(UNTRUSTED).replace("query", "%71uery")],
  ])("refuses %s by GET", async (_what, parameters) => {
    const answer = await get(locked, parameters);
    const { data, errors = [] } = (await answer.json()) as GraphqlBody;
    expect([answer.status, data]).toEqual([400, undefined]);
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(["BAD_REQUEST"]);
  });

  it("does not execute a text in the URL of a POST", async () => {
    const answer = await fetch(`${locked.url}/graphql?${search(UNTRUSTED)}`, {
      method: "POST",
      headers: { ...JSON_TYPE, "X-API-Key": key },
      body: "{}",
    });
    const { data } = (await answer.json()) as GraphqlBody;
    expect([answer.status, data]).toEqual([400, undefined]);
  });

  it("serves the five REST endpoints as usual", async () => {
    const { status, body } = await locked.rest("/compliance", key);
    expect([status, body.success]).toEqual([200, true]);
  });
});

describe("a gateway that also serves other texts", () => {
  it("answers them as usual", async () => {
    const { status, body } = await open.graphql(UNTRUSTED, key);
    expect([status, Object.keys(body.data.organization)]).toEqual([200, ["slug"]]);
  });

  it("refuses an unknown hash even with a text, so that Apollo Client sends only the text", async () => {
    const answer = await post(open, { query: NAME, ...byHash(hashOf(UNTRUSTED)) });
    const { errors = [] } = (await answer.json()) as GraphqlBody;
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(["PERSISTED_QUERY_NOT_SUPPORTED"]);
  });
});

describe("a file of trusted documents", () => {
  it.each<[string, string | object | null, RegExp]>([
    ["that is missing", null, /\(.*missing\.json\) cannot be read: ENOENT/],
    ["that is not JSON", "{ name: 1", /\(.*\.json\) cannot be read: .*JSON/],
    ["that contains a list", [NAME], /must be one JSON object that maps ids to the texts of operations/],
    ["with a text that is not a string", { name: { query: NAME } }, /must be one JSON object that maps ids/],
    [
      "with a field that the schema lacks",
      { good: NAME, bad: "{ organization { secrets } }" },
      /The trusted document bad does not fit the schema: Cannot query field "secrets" on type "Organization"/,
    ],
    [
      "with a text that is not GraphQL",
      { bad: "{ organization {" },
      /The trusted document bad .*Syntax Error/,
    ],
  ])("%s stops the start, with the reason", async (what, content, message) => {
    const name = `${what.replaceAll(" ", "-")}.json`;
    const file = content === null ? join(folder.path, "missing.json") : fileOf(name, content);
    const start = startGateway({ env: { GRAPHQL_TRUSTED_DOCUMENTS: file }, database: open.database });
    const thrown: unknown = await start.then(
      (gateway) => gateway.stop(),
      (reason: unknown) => reason,
    );
    // The built server has a class of its own.
    expect((thrown as Error).constructor.name).toBe(OperatorError.name);
    expect((thrown as Error).message).toMatch(message);
  });

  it("is required if only trusted documents are served", () => {
    const start = () => readConfig({ GRAPHQL_ONLY_TRUSTED: "true" });
    expect(start).toThrow(OperatorError);
    expect(start).toThrow("GRAPHQL_TRUSTED_DOCUMENTS must be set if GRAPHQL_ONLY_TRUSTED is true");
    expect(readConfig({ GRAPHQL_ONLY_TRUSTED: "false" })).toMatchObject({ onlyTrusted: false });
  });

  it("does not block the operations of the console while it is on", async () => {
    const { ConsoleStateQuery: query = "" } = CONSOLE_DOCUMENTS;
    expect((await locked.graphql(query, key)).body.data).toMatchObject({ credits: { byType: [] } });
    const alone = await startGateway({
      env: { GRAPHQL_TRUSTED_DOCUMENTS: documents, GRAPHQL_ONLY_TRUSTED: "true", CONSOLE: "false" },
      database: open.database,
    });
    expect((await alone.graphql(query, key)).status).toBe(400);
    await alone.stop();
  });
});
