import fc from "fast-check";
import type { GraphQLInputType, GraphQLSchema } from "graphql";
import { parseType, typeFromAST } from "graphql";
import { anyText, type Bytes, mutate, mutations, utf8 } from "./bytes.js";
import { documents, VARIABLES } from "./documents.js";
import { quoted, valuesOf } from "./graphql-values.js";
import type { WireRequest } from "./wire.js";

/** A well-framed request to /graphql. */
export interface GraphqlCase {
  readonly method: "GET" | "POST";
  readonly search: Bytes;
  readonly headers: readonly string[];
  readonly body: Bytes;
}

const JSON_TYPES = [
  "application/json",
  "application/json; charset=utf-8",
  "application/json;charset=UTF-16",
  "Application/JSON",
];
const OTHER_TYPES = [
  "text/plain",
  "application/graphql",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  "",
  "json",
  "application/json; charset=",
  ";",
];
const ACCEPTS = [
  "*/*",
  "application/json",
  "application/graphql-response+json",
  "text/html",
  "multipart/mixed",
  "x",
  "",
  "text/html;q=1, */*;q=0",
];

const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
  anyText.map(quoted),
  fc.constantFrom(
    "1e400",
    "-0",
    '{"__proto__":1}',
    "[]",
    "null",
    "nul",
    '{"a":1,"a":2}',
    '"\\ud800"',
    "{,}",
    "01",
  ),
  fc.integer({ min: 1, max: 5_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
);

/** Returns requests with documents of the schema, and with valid or invalid other parts. */
export function graphqlCases(schema: GraphQLSchema, stolen: readonly string[]): fc.Arbitrary<GraphqlCase> {
  const variable = ([name, type]: readonly [string, string]) => {
    const right = valuesOf(typeFromAST(schema, parseType(type) as never) as GraphQLInputType, "json", stolen);
    const value = fc.oneof({ weight: 20, arbitrary: right }, { weight: 1, arbitrary: anyJson });
    return fc.oneof(
      value.map((text) => `"${name}":${text}`),
      fc.constant(""),
    );
  };
  const variables = fc.oneof(
    {
      weight: 16,
      arbitrary: fc
        .tuple(...Object.entries(VARIABLES).map(variable))
        .map((texts) => `{${texts.filter((text) => text !== "").join(",")}}`),
    },
    { weight: 2, arbitrary: fc.constant("") },
    { weight: 1, arbitrary: anyJson },
  );
  const document = documents(schema, stolen);
  const text = fc.oneof(
    { weight: 6, arbitrary: document },
    {
      weight: 2,
      arbitrary: fc
        .tuple(document.map(utf8), mutations)
        .map(([whole, changes]) => fromUtf8(mutate(whole, changes))),
    },
    { weight: 1, arbitrary: anyText },
  );
  const members = fc.record({
    query: fc.oneof(
      { weight: 12, arbitrary: text.map(quoted) },
      { weight: 1, arbitrary: anyJson },
      fc.constant(""),
    ),
    variables,
    operationName: fc.oneof(
      { weight: 8, arbitrary: fc.constant("") },
      fc.constantFrom('"Q"', '"A"', '""', "null", '"__proto__"'),
      anyJson,
    ),
    extensions: fc.oneof({ weight: 8, arbitrary: fc.constant("") }, anyJson, persisted),
    documentId: fc.oneof({ weight: 12, arbitrary: fc.constant("") }, anyJson),
  });
  const whole = members.map((values) => write(values));
  const body = fc.oneof(
    { weight: 14, arbitrary: whole.map(utf8) },
    {
      weight: 2,
      arbitrary: fc.tuple(whole.map(utf8), mutations).map(([bytes, changes]) => mutate(bytes, changes)),
    },
    { weight: 1, arbitrary: fc.array(whole, { maxLength: 3 }).map((all) => utf8(`[${all.join(",")}]`)) },
    { weight: 1, arbitrary: anyJson.map(utf8) },
    { weight: 1, arbitrary: whole.map((json) => utf8(`\ufeff${json}`)) },
    { weight: 1, arbitrary: whole.map((json) => Buffer.from(json, "utf16le").toString("latin1")) },
    {
      weight: 1,
      arbitrary: whole.map((json) => utf8(`${json.slice(0, -1)},"query":"{ organization { name } }"}`)),
    },
  );

  /** Requests that are valid except for the document and its variables. */
  const plain = fc.record({ query: document.map(quoted), variables }).map(
    (values): GraphqlCase => ({
      method: "POST",
      search: "",
      body: utf8(write(values)),
      headers: ["Content-Type: application/json"],
    }),
  );
  const post = fc
    .record({
      body,
      type: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...JSON_TYPES) },
        fc.constantFrom(...OTHER_TYPES),
      ),
      more,
    })
    .map(
      (request): GraphqlCase => ({
        method: "POST",
        search: "",
        body: request.body,
        headers: [`Content-Type: ${request.type}`, ...request.more],
      }),
    );
  const get = fc
    .record({
      members,
      more,
      rest: fc.oneof(
        { weight: 4, arbitrary: fc.constant("") },
        anyText.map((value) => `&${value}`),
      ),
    })
    .map(({ members: values, more: headers, rest }): GraphqlCase => {
      const pairs = Object.entries(values).filter(([, value]) => value !== "");
      const unquoted = ([name, value]: [string, string]) =>
        `${name}=${encode(name === "query" ? unquote(value) : value)}`;
      return { method: "GET", search: `?${pairs.map(unquoted).join("&")}${encode(rest)}`, headers, body: "" };
    });
  return fc.oneof(
    { weight: 3, arbitrary: plain },
    { weight: 2, arbitrary: post },
    { weight: 1, arbitrary: get },
  );
}

const persisted = fc.constantFrom(
  `{"persistedQuery":{"version":1,"sha256Hash":"${"0".repeat(64)}"}}`,
  '{"persistedQuery":null}',
  '{"persistedQuery":{"version":2}}',
  '{"persistedQuery":{"version":1,"sha256Hash":{}}}',
  '{"persistedQuery":[]}',
);

const more = fc.array(
  fc.oneof(
    fc.constantFrom(...ACCEPTS).map((value) => `Accept: ${value}`),
    fc.constantFrom("gzip", "deflate", "br", "identity", "x").map((value) => `Content-Encoding: ${value}`),
    fc.constantFrom(
      "apollo-require-preflight: 1",
      "x-apollo-operation-name: a",
      "apollo-require-preflight:",
      "Origin: null",
    ),
  ),
  { maxLength: 2 },
);

function write(values: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(values).filter(([, value]) => value !== "");
  return `{${pairs.map(([name, value]) => `${quoted(name)}:${value}`).join(",")}}`;
}

const fromUtf8 = (bytes: Bytes) => Buffer.from(bytes, "latin1").toString("utf8");

function unquote(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return json;
  }
}

/** Percent-encodes a string, which may contain lone surrogates. */
const encode = (text: string) =>
  utf8(text).replaceAll(/[^\w.~&=-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);

/** Returns the bytes of a request, with the header of the caller's credential unless empty. */
export function toWire({ method, search, headers, body }: GraphqlCase, credential: string): WireRequest {
  const lines = [
    `${method} /graphql${search} HTTP/1.1`,
    "Host: gateway",
    "Connection: close",
    ...(credential === "" ? [] : [credential]),
    ...headers,
    ...(method === "POST" ? [`Content-Length: ${body.length}`] : []),
  ];
  return { pieces: [Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`, "latin1")], isWhole: true };
}

/** Returns a valid request. */
export const graphqlPost = (body: { query: string }, key: string): WireRequest =>
  toWire(
    {
      method: "POST",
      search: "",
      body: utf8(JSON.stringify(body)),
      headers: ["Content-Type: application/json"],
    },
    `X-API-Key: ${key}`,
  );
