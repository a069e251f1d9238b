import { buildSchema, parse, validate } from "graphql";
import { describe, expect, it } from "vitest";
import { isIntrospectionOnly, limitQueries, QUERY_LIMITS } from "../../src/limits/query-limits.js";

const schema = buildSchema(`
  type Query { node: Node nodes(first: Int, last: Int): [Node!]! value: String }
  type Node { node: Node nodes(first: Int): [Node!]! value: String }
`);
const refusals = (query: string) =>
  validate(schema, parse(query), [limitQueries]).map(({ message }) => message);
const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(" ");
const nested = (levels: number) => `{ ${"node { ".repeat(levels - 1)}value${" }".repeat(levels - 1)} }`;

describe("the limits of an operation", () => {
  it.each([
    ["depth", 12, "levels of depth", nested],
    ["aliases", 30, "aliases", (count: number) => `{ node { ${times(count, (i) => `a${i}: value`)} } }`],
    ["root fields", 20, "root fields", (count: number) => `{ ${times(count, () => "value")} }`],
    [
      "directives, on fields and on fragments",
      50,
      "directives",
      (count: number) =>
        `{ node { ${times(count - 2, () => "value @skip(if: false)")} ...F @skip(if: false) ... @skip(if: false) { value } } }
         fragment F on Node { value }`,
    ],
    // One point for each object, and for each of a list.
    ["cost", 5_000, "points of cost", (count: number) => `{ nodes(first: ${count}) { value } }`],
    ["cost, by last", 5_000, "points of cost", (count: number) => `{ nodes(last: ${count}) { value } }`],
  ])("let the most pass and refuse one more: %s", (_what, limit, name, queryOf) => {
    expect(refusals(queryOf(limit))).toEqual([]);
    expect(refusals(queryOf(limit + 1))).toEqual([
      `The operation has ${limit + 1} ${name}; at most ${limit} are allowed.`,
    ]);
  });

  it("take a list for 10 rows where nothing is said, and for 100 where a variable says it", () => {
    const cost = (query: string) => Number(/has (\d+) points of cost/.exec(refusals(query).join())?.[1]);
    // The outer list has 1,000 rows of one point and what is below each.
    expect(cost("{ nodes(first: 1000) { nodes { value } } }")).toBe(1_000 * (1 + 10));
    expect(cost("query ($n: Int) { nodes(first: 1000) { nodes(first: $n) { value } } }")).toBe(
      1_000 * (1 + 100),
    );
    expect(cost("{ nodes(first: 2000) { nodes(first: -5) { value } node { node { value } } } }")).toBe(
      2_000 * 4,
    );
  });

  it("count a fragment wherever it is spread, and each operation for itself", () => {
    const twice = (operations: number) =>
      `${times(operations, (i) => `query Q${i} { ${times(11, () => "value")} ...F }`)} fragment F on Query { ${times(10, () => "value")} }`;
    const message = "The operation has 21 root fields; at most 20 are allowed.";
    expect(refusals(twice(1))).toEqual([message]);
    expect(refusals(twice(2))).toEqual([message, message]);
    expect(
      refusals(`query A { ${times(20, () => "value")} } query B { ${times(20, () => "value")} }`),
    ).toEqual([]);
  });

  it("are measured at once where fragments double at each of 200 levels, and where they go in circles", () => {
    const doubling = times(200, (i) => `fragment F${i} on Node { node { ...F${i + 1} ...F${i + 1} } }`);
    const [message] = refusals(`{ node { ...F0 } } ${doubling} fragment F200 on Node { value }`);
    expect(message).toBe(`The operation has 202 levels of depth; at most ${QUERY_LIMITS.depth} are allowed.`);
    expect(refusals("{ node { ...F } } fragment F on Node { node { ...F } }")).toEqual([]);
  });

  it("do not hold for what only introspects", () => {
    expect(refusals(`{ ${times(100, (i) => `a${i}: __typename`)} }`)).toEqual([]);
  });
});

describe("an operation only introspects", () => {
  it.each([
    ["{ __typename }", true],
    ['{ s: __schema { types { name } } __type(name: "Node") { name } }', true],
    [
      "{ ... on Query { __typename } ...F } fragment F on Query { ...G } fragment G on Query { __typename }",
      true,
    ],
    ["query A { __typename } query B { __typename }", true],
    ["{ value }", false],
    ["{ __typename value }", false],
    ["{ __typename: value }", false],
    ["{ ... { ... { value } } }", false],
    ["{ ...F } fragment F on Query { value }", false],
    ["{ ...F } fragment F on Query { ...F }", false],
    ["{ ...Nothing }", false],
    ["query A { __typename } query B { value }", false],
    ["fragment F on Query { __typename }", false],
    ["{ node { __typename } }", false],
  ])("%s: %s", (query, expected) => {
    expect(isIntrospectionOnly(parse(query))).toBe(expected);
  });
});
