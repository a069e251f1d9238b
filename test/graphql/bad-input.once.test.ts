import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addDeadline, addFramework } from "../support/fixtures.js";
import { type Gateway, startGateway } from "../support/server.js";
import { error, errorAt, expectRefusal, JSON_TYPE } from "./refusal.js";
import { newTenant } from "./tenant.js";

let gateway: Gateway;
let production: Gateway;
let key: string;

beforeAll(async () => {
  gateway = await startGateway();
  production = await startGateway({ env: { NODE_ENV: "production" }, database: gateway.database });
  ({ key } = await newTenant(gateway));
});
afterAll(async () => {
  await production.stop();
  await gateway.stop();
});

const send = (init: RequestInit, to = gateway) =>
  fetch(`${to.url}/graphql`, { ...init, headers: { "X-API-Key": key, ...init.headers } });
const post = (body: string, headers: Record<string, string> = JSON_TYPE) =>
  send({ method: "POST", headers, body });
const ask = (query: string, more: object = {}) => post(JSON.stringify({ query, ...more }));

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(" ");

describe("an unreadable body of POST /graphql", () => {
  const MALFORMED = "Malformed URL or request body.";
  const NO_OBJECT = "body: expected a JSON object or list, got another value";
  const UNSUPPORTED = "Unsupported content type, encoding or charset of the request body.";
  const NO_BODY = "POST body missing, invalid Content-Type, or JSON object has no keys.";
  const QUERY = JSON.stringify({ query: "{ organization { slug } }" });

  it.each([
    [
      "malformed JSON",
      "{oops",
      JSON_TYPE,
      400,
      "body: malformed JSON at line 1, column 2: quoted object key expected but got 'o'",
    ],
    ["JSON that is not an object", '"{ organization { slug } }"', JSON_TYPE, 400, NO_OBJECT],
    ["null", "null", JSON_TYPE, 400, NO_OBJECT],
    ["an empty body", "", JSON_TYPE, 400, NO_BODY],
    ["an object without keys", "{}", JSON_TYPE, 400, NO_BODY],
    [
      "a form",
      "query=%7B__typename%7D",
      { "Content-Type": "application/x-www-form-urlencoded" },
      400,
      NO_BODY,
    ],
    ["plain text", QUERY, { "Content-Type": "text/plain" }, 400, NO_BODY],
    [
      "an unknown character set",
      QUERY,
      { "Content-Type": "application/json; charset=x" },
      415,
      "Unsupported charset: expected UTF-8.",
    ],
    ["an unknown encoding", QUERY, { ...JSON_TYPE, "Content-Encoding": "x" }, 415, UNSUPPORTED],
    [
      "a body that is not the declared gzip",
      QUERY,
      { ...JSON_TYPE, "Content-Encoding": "gzip" },
      400,
      MALFORMED,
    ],
    [
      "2 MB",
      `{"query":"{ organization { slug } }","x":"${"x".repeat(2_000_000)}"}`,
      JSON_TYPE,
      413,
      "The request body is too large.",
    ],
    ["a batch", `[${QUERY},${QUERY}]`, JSON_TYPE, 400, "Operation batching disabled."],
    ["an empty batch", "[]", JSON_TYPE, 400, "Operation batching disabled."],
    ["a query that is a number", '{"query":1}', JSON_TYPE, 400, "GraphQL queries must be strings."],
    [
      "no query",
      '{"variables":{}}',
      JSON_TYPE,
      400,
      "GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.",
    ],
    [
      "variables that are a list",
      '{"query":"{ organization { slug } }","variables":[]}',
      JSON_TYPE,
      400,
      "`variables` in a POST body must be an object if provided.",
    ],
  ])("is refused: %s", async (_what, body, headers, status, message) => {
    await expectRefusal(await post(body, headers), status, error("BAD_REQUEST", message));
  });
});

describe("an invalid operation", () => {
  const PARSE = "GRAPHQL_PARSE_FAILED";
  const INVALID = "GRAPHQL_VALIDATION_FAILED";
  const DEADLINES = "($first: Int!) { compliance { upcomingDeadlines(first: $first) { title } } }";

  it.each([
    ["a syntax error", "{ organization {", PARSE, "Syntax Error: Expected Name, found <EOF>."],
    [
      "a query as a mutation",
      "mutation { organization { slug } }",
      INVALID,
      'Cannot query field "organization" on type "Mutation".',
    ],
    [
      "a subscription",
      "subscription { events { id } }",
      INVALID,
      "A subscription is not supported here. Send a query or a mutation, and a subscription to POST /graphql/stream.",
    ],
    [
      "an unknown argument",
      "{ emissions(year: 2025) { recordCount } }",
      INVALID,
      'Unknown argument "year" on field "Query.emissions".',
    ],
    [
      "an argument of the wrong type",
      '{ compliance { upcomingDeadlines(first: "ten") { title } } }',
      INVALID,
      'Int cannot represent non-integer value: "ten"',
    ],
    [
      "an object without fields",
      "{ organization }",
      INVALID,
      'Field "organization" of type "Organization!" must have a selection of subfields. Did you mean "organization { ... }"?',
    ],
  ])("is refused: %s", async (_what, query, code, message) => {
    await expectRefusal(await ask(query), 400, errorAt(code, message));
  });

  it.each([
    [
      "of the wrong type",
      { first: "ten" },
      'got invalid value "ten"; Int cannot represent non-integer value: "ten"',
    ],
    ["that is missing", {}, 'of required type "Int!" was not provided.'],
  ])("is refused with a variable %s", async (_what, variables, message) => {
    const answer = await ask(`query ${DEADLINES}`, { variables });
    await expectRefusal(answer, 400, errorAt("BAD_USER_INPUT", `Variable "$first" ${message}`));
  });

  it.each(['"2026-02-30"', '"2026-2-3"', '"today"', "20260203"])(
    "is refused for an invalid date, and the message names the type: %s",
    async (date) => {
      const since = (from: string) => `emissions(range: { from: ${from}, to: "2026-12-31" }) { recordCount }`;
      const form = "A date must be a calendar date, YYYY-MM-DD.";
      await expectRefusal(
        await ask(`{ ${since(date)} }`),
        400,
        errorAt(INVALID, `Expected value of type "Date!", found ${date}; ${form}`),
      );
      await expectRefusal(
        await ask(`query ($from: Date!) { ${since("$from")} }`, { variables: { from: JSON.parse(date) } }),
        400,
        errorAt(
          "BAD_USER_INPUT",
          `Variable "$from" got invalid value ${date}; Expected type "Date". ${form}`,
        ),
      );
    },
  );

  it("reports 20 errors in its variables, and that there are more", async () => {
    const query =
      "query ($filter: EmissionRecordFilter) { emissions { records(filter: $filter) { totalCount } } }";
    const scopes = Array(60).fill("SCOPE_9");
    const answer = await ask(query, { variables: { filter: { scopes } } });
    const { errors } = JSON.parse(await answer.text());
    expect([answer.status, errors.length, errors.at(-1)]).toEqual([
      400,
      21,
      { message: "Too many errors in the variables.", extensions: { code: "BAD_USER_INPUT" } },
    ]);
  });

  it.each([
    ["without a name", undefined, "Must provide operation name if query contains multiple operations."],
    ["by an unknown name", "C", 'Unknown operation named "C".'],
  ])("is refused if it is one of several and requested %s", async (_what, operationName, message) => {
    const query = "query A { organization { slug } } query B { organization { slug } }";
    await expectRefusal(
      await ask(query, { operationName }),
      400,
      error("OPERATION_RESOLUTION_FAILURE", message),
    );
  });

  it("gets a suggestion for a misspelled field, but not in production", async () => {
    const body = JSON.stringify({ query: "{ organizatio { slug } }" });
    const init = { method: "POST", headers: JSON_TYPE, body };
    const message = 'Cannot query field "organizatio" on type "Query".';
    await expectRefusal(await send(init), 400, errorAt(INVALID, `${message} Did you mean "organization"?`));
    await expectRefusal(await send(init, production), 400, errorAt(INVALID, message));
  });

  it("gets a suggestion for a misspelled variable value, but not in production", async () => {
    const query = "query ($order: OrderDirection) { emissions { records(order: $order) { totalCount } } }";
    const body = JSON.stringify({ query, variables: { order: "ASCC" } });
    const init = { method: "POST", headers: JSON_TYPE, body };
    const message =
      'Variable "$order" got invalid value "ASCC"; Value "ASCC" does not exist in "OrderDirection" enum.';
    const suggestion = 'Did you mean the enum value "ASC"?';
    await expectRefusal(await send(init), 400, errorAt("BAD_USER_INPUT", `${message} ${suggestion}`));
    await expectRefusal(await send(init, production), 400, errorAt("BAD_USER_INPUT", message));
  });

  it("sent only as a hash gets the error that makes clients send the text", async () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: "0".repeat(64) } };
    const answer = await post(JSON.stringify({ extensions }));
    await expectRefusal(answer, 200, error("PERSISTED_QUERY_NOT_SUPPORTED", "PersistedQueryNotSupported"));
  });
});

describe("a large operation", () => {
  it("is refused if it repeats a field too often to be validated", async () => {
    const answer = await ask(`{ organization { ${"id ".repeat(1_500)} } }`);
    const message = "The operation repeats too many fields to be validated. Select each field once.";
    await expectRefusal(answer, 400, error("BAD_USER_INPUT", message));
  });

  const costOf = (roots: number) =>
    `{ ${times(roots, (i) => `c${i}: compliance { frameworks { upcomingDeadlines(first: 100) { title } } }`)} }`;
  const refusal = (measure: string, limit: number, estimate: number, name: string) =>
    error("BAD_USER_INPUT", `The operation has ${estimate} ${name}; at most ${limit} are allowed.`, {
      measure,
      limit,
      estimate,
    });

  it.each([
    [
      "500 aliases",
      `{ organization { ${times(500, (i) => `a${i}: slug`)} } }`,
      "aliases",
      30,
      500,
      "aliases",
    ],
    ["21 root fields", `{ ${times(21, () => "rateLimit { used }")} }`, "rootFields", 20, 21, "root fields"],
    [
      "21 root fields, in fragments",
      `{ ...A ...A ... on Query { ...A } } fragment A on Query { ${times(7, () => "rateLimit { used }")} }`,
      "rootFields",
      20,
      21,
      "root fields",
    ],
    [
      "51 directives",
      `{ organization { ${times(51, () => "slug @include(if: true)")} } }`,
      "directives",
      50,
      51,
      "directives",
    ],
    [
      "30 levels, next to a data field",
      `{ organization { slug } __schema { types { ${"ofType { ".repeat(27)}name${" }".repeat(27)} } } }`,
      "depth",
      12,
      30,
      "levels of depth",
    ],
  ])("is refused before it is executed: %s", async (_what, query, measure, limit, estimate, name) => {
    const locations = expect.any(Array);
    await expectRefusal(await ask(query), 400, { ...refusal(measure, limit, estimate, name), locations });
  });

  it.each([13, 31])("is refused before it is executed: variables of %i levels", async (levels) => {
    // The variables object itself is one more level.
    const nested = `${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}`;
    const variables = `"range":null,"more":${nested}`;
    const message = "The operation's variables are nested too deeply; at most 12 levels are allowed.";
    await expectRefusal(
      await post(`{"query":"{ organization { slug } }","variables":{${variables}}}`),
      400,
      error("BAD_USER_INPUT", message, { measure: "variables", limit: 12 }),
    );
  });

  it("is refused before it is executed: a cost of 10517", async () => {
    const field = "c0.frameworks.upcomingDeadlines";
    const message = `The operation has 10517 cost points; at most 10000 are allowed. The most expensive field is ${field}, with 800 of them.`;
    await expectRefusal(
      await ask(costOf(13)),
      400,
      error("BAD_USER_INPUT", message, {
        measure: "cost",
        limit: 10_000,
        estimate: 10_517,
        mostExpensive: { field, cost: 800 },
      }),
    );
  });

  it("is refused before it is parsed completely: over 2000 tokens", async () => {
    await expectRefusal(
      await ask(`{ ${times(1_999, () => "a")} }`),
      400,
      errorAt("GRAPHQL_PARSE_FAILED", expect.stringContaining("2000 tokens")),
    );
  });

  it("is served with variables of 12 levels", async () => {
    const { slug, key: value } = await newTenant(gateway);
    const more = JSON.parse(`${"[".repeat(11)}${"]".repeat(11)}`);
    const { status, body } = await gateway.graphql("{ organization { slug } }", value, { more });
    expect([status, body]).toEqual([200, { data: { organization: { slug } } }]);
  });

  it("is served if it is just within the limits", async () => {
    const { slug, key: value } = await newTenant(gateway);
    await addFramework(gateway.database, slug);
    await addDeadline(gateway.database, slug, { title: "Report" });
    const portion = { frameworks: [{ upcomingDeadlines: [{ title: "Report" }] }] };
    const { body, cost } = await gateway.graphql(costOf(12), value);
    const data = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`c${index}`, portion]));
    expect([body, cost]).toEqual([{ data }, 9_708]);
  });
});

describe("null for a non-null argument", () => {
  const wrong = (argument: string, type: string) =>
    `Argument "${argument}" of non-null type "${type}" must not be null.`;
  it.each([
    ["($n: Int) { emissions { byFacility(first: $n) { recordCount } } }", wrong("first", "Int!")],
    ["($n: TrendStep) { emissions { trend(step: $n) { from } } }", wrong("step", "TrendStep!")],
    ["($n: Boolean = true) { organization { slug @include(if: $n) } }", wrong("if", "Boolean!")],
  ])("is BAD_USER_INPUT: %s", async (operation, message) => {
    const { key: value } = await newTenant(gateway);
    const { status, body } = await gateway.graphql(`query${operation}`, value, { n: null });
    expect(status).toBe(200);
    expect(body.errors).toEqual([
      expect.objectContaining({ message, extensions: { code: "BAD_USER_INPUT" } }),
    ]);
  });
});
