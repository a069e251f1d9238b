import { buildSchema, getIntrospectionQuery, type OperationDefinitionNode, parse, validate } from "graphql";
import { describe, expect, it } from "vitest";
import { TIERS, type Tier } from "../../src/domain/tiers.js";
import { AppError } from "../../src/errors.js";
import {
  COST_LIMITS,
  isIntrospectionOnly,
  limitQueries,
  QUERY_LIMITS,
  requireAffordable,
} from "../../src/limits/cost/query-limits.js";

const schema = buildSchema(`
  directive @listSize(assumedSize: Int!) on FIELD_DEFINITION
  directive @cost(points: Float!) on FIELD_DEFINITION
  type Query {
    node: Node nodes(first: Int, last: Int): [Node!]! page(first: Int, last: Int): NodeConnection! value: String
    few: [Node!]! @listSize(assumedSize: 3) many(first: Int): [Node!]! @listSize(assumedSize: 50)
  }
  type Node { node: Node nodes(first: Int): [Node!]! some(first: Int! = 30): [Node!]! value: String }
  type NodeConnection { nodes: [Node!]! edges: [NodeEdge!]! pageInfo: PageInfo! totalCount: Int! @cost(points: 100) }
  type NodeEdge { node: Node! }
  type PageInfo { hasNextPage: Boolean! }
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
  ])("admit the maximum and refuse one more: %s", (_what, limit, name, queryOf) => {
    expect(refusals(queryOf(limit))).toEqual([]);
    expect(refusals(queryOf(limit + 1))).toEqual([
      `The operation has ${limit + 1} ${name}; at most ${limit} are allowed.`,
    ]);
  });

  it("count a fragment at every spread, and each operation separately", () => {
    const twice = (operations: number) =>
      `${times(operations, (i) => `query Q${i} { ${times(11, () => "value")} ...F }`)} fragment F on Query { ${times(10, () => "value")} }`;
    const message = "The operation has 21 root fields; at most 20 are allowed.";
    expect(refusals(twice(1))).toEqual([message]);
    expect(refusals(twice(2))).toEqual([message, message]);
    expect(
      refusals(`query A { ${times(20, () => "value")} } query B { ${times(20, () => "value")} }`),
    ).toEqual([]);
  });

  it("are measured at once if fragments double at each of 200 levels, or are cyclic", () => {
    const doubling = times(200, (i) => `fragment F${i} on Node { node { ...F${i + 1} ...F${i + 1} } }`);
    const [message] = refusals(`{ node { ...F0 } } ${doubling} fragment F200 on Node { value }`);
    expect(message).toBe(`The operation has 202 levels of depth; at most ${QUERY_LIMITS.depth} are allowed.`);
    expect(refusals("{ node { ...F } } fragment F on Node { node { ...F } }")).toEqual([]);
  });

  it("do not apply to introspection, which has its own", () => {
    expect(refusals(`{ ${times(100, () => "__typename")} }`)).toEqual([]);
    const everything = { specifiedByUrl: true, directiveIsRepeatable: true, inputValueDeprecation: true };
    expect(refusals(getIntrospectionQuery({ ...everything, schemaDescription: true }))).toEqual([]);
    const query = `{ __schema { ${times(20, (i) => `a${i}: types { ...T }`)} } }
      fragment T on __Type { ${times(20, (i) => `b${i}: fields { type { ...U } }`)} }
      fragment U on __Type { ${times(40, (i) => `c${i}: name`)} }`;
    expect(refusals(query)).toEqual([
      "The operation has 16420 aliases; at most 30 are allowed.",
      expect.stringMatching(/^The operation has \d{6} cost points; at most \d{4} are allowed\.$/),
    ]);
    const deep = `{ __type(name: "Node") { ${"ofType { ".repeat(13)}name${" }".repeat(13)} } }`;
    expect(refusals(deep)).toEqual([]);
    expect(refusals(deep.replace("name }", "ofType { name } }"))).toEqual([
      "The operation has 16 levels of depth; at most 15 are allowed.",
    ]);
  });
});

/** Returns the cost of a document's first operation, for a key of the tier. */
function costOf(query: string, variables: Record<string, unknown> = {}, tier: Tier = "enterprise"): number {
  const document = parse(query);
  const [operation] = document.definitions as [OperationDefinitionNode];
  return requireAffordable({ schema, document, operation, variables }, tier);
}

describe("the cost of an operation", () => {
  it.each(TIERS)("is admitted up to a tier's limit, and refused one point above: %s", (tier) => {
    const limit = COST_LIMITS[tier];
    const max = times(limit / 100, () => "nodes(first: 100) { value }");
    expect(costOf(`{ ${max} }`, {}, tier)).toBe(limit);
    const refusal = new AppError(
      "BAD_USER_INPUT",
      `The operation has ${limit + 1} cost points; at most ${limit} are allowed. The most expensive field is nodes, with 100 of them.`,
      {
        extensions: {
          measure: "cost",
          limit,
          estimate: limit + 1,
          mostExpensive: { field: "nodes", cost: 100 },
        },
      },
    );
    expect(() => costOf(`{ ${max} node { value } }`, {}, tier)).toThrow(refusal);
  });

  it.each([
    ["nothing for a plain value", "{ value }", 0],
    ["one point for each object", "{ node { node { value } } }", 2],
    ["100 objects for a list of unknown size", "{ nodes { value } }", 100],
    ["the size in the schema for a list requested without one", "{ few { value } }", 3],
    ["the size of a list that may be longer than a page", "{ many(first: 700) { value } }", 700],
    ["at most 1,000 for such a list", "{ many(first: 7000) { value } }", 1_000],
    ["the product of the sizes for nested lists", "{ nodes(first: 5) { nodes { value } } }", 5 * (1 + 100)],
    ["100 more for a page whose rows are counted", "{ page { totalCount } }", 1 + 100],
    ["the requested size", "{ nodes(first: 3) { value } }", 3],
    ["the requested size from the end", "{ nodes(last: 7) { value } }", 7],
    ["the schema's default size", "{ node { some { value } } }", 1 + 30],
    ["at most 100 objects for a list, as more are refused", "{ nodes(first: 1000) { value } }", 100],
    ["at least one", "{ nodes(first: -5) { value } }", 1],
    ["20 objects for a page requested without a size", "{ page { nodes { value } } }", 1 + 20],
    ["a page's size, and its edges", "{ page(last: 5) { edges { node { value } } } }", 1 + 5 * 2],
    ["no rows for the position of a page", "{ page(first: 100) { pageInfo { hasNextPage } } }", 2],
    ["100 below the items of a page", "{ page(first: 4) { nodes { nodes { value } } } }", 1 + 4 * (1 + 100)],
    [
      "the rows of a fragment by the page around it",
      "{ page(first: 3) { ...F } other: page { ...F } } fragment F on NodeConnection { nodes { value } }",
      1 + 3 + (1 + 20),
    ],
  ])("is %s", (_what, query, cost) => {
    expect(costOf(query)).toBe(cost);
  });

  it.each([
    ["its value", "($n: Int)", { n: 7 }, 7],
    ["its value before its default", "($n: Int = 5)", { n: 7 }, 7],
    ["its default if omitted", "($n: Int = 5)", {}, 5],
    ["no size if omitted without a default", "($n: Int)", {}, 20],
    ["no size if null", "($n: Int = 5)", { n: null }, 20],
    ["at most 100", "($n: Int)", { n: 1e9 }, 100],
  ])("reads a size in a variable as %s", (_what, variable, variables, size) => {
    expect(costOf(`query ${variable} { page(first: $n) { nodes { value } } }`, variables)).toBe(1 + size);
  });

  it("is a valid JSON number, computed at once, if fragments double at each of 200 levels", () => {
    const doubling = times(200, (i) => `fragment F${i} on Node { nodes { ...F${i + 1} ...F${i + 1} } }`);
    const query = `{ node { ...F0 } } ${doubling} fragment F200 on Node { value }`;
    expect(() => costOf(query)).toThrow(`has ${Number.MAX_SAFE_INTEGER} cost points`);
  });
});

describe("the cost of an operation with a variable named like a built-in member of objects", () => {
  it.each(Object.getOwnPropertyNames(Object.prototype))("is that of any other variable: $%s", (name) => {
    const query = (size: string) =>
      `query ($${name}: Int${size}) { page(first: $${name}) { nodes { value } } }`;
    expect(costOf(query(" = 7"))).toBe(1 + 7);
    expect(costOf(query(""))).toBe(1 + 20);
    expect(costOf(query(" = 7"), JSON.parse(`{ "${name}": 9 }`))).toBe(1 + 9);
  });
});

describe("the most expensive field", () => {
  const findMostExpensive = (query: string, variables?: Record<string, unknown>) => {
    try {
      costOf(query, variables, "free");
    } catch (error) {
      return (error as AppError).extensions["mostExpensive"];
    }
    return undefined;
  };
  it.each([
    [
      "its own objects count, not those below it",
      "{ page(first: 100) { nodes { few: nodes(first: 30) { value } node { value } } } }",
      { field: "page.nodes.few", cost: 3_000 },
    ],
    [
      "through fragments",
      "{ page(first: 100) { ...F } } fragment F on NodeConnection { nodes { ... { nodes(first: 90) { value } } } }",
      { field: "page.nodes.nodes", cost: 9_000 },
    ],
    [
      "under an alias",
      "{ a: nodes(first: 2) { value } b: page(first: 50) { nodes { c: nodes(first: 100) { value } } } }",
      { field: "b.nodes.c", cost: 5_000 },
    ],
  ])("is named by its path in the response: %s", (_what, query, expected) => {
    expect(findMostExpensive(query)).toEqual(expected);
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

  it.each([
    ["A", true],
    ["B", false],
    ["C", false],
    [null, false],
  ])("by the name of the requested operation, if a document has several: %s", (name, expected) => {
    const document = parse("query A { __typename } query B { value }");
    expect(isIntrospectionOnly(document, name)).toBe(expected);
  });
});
