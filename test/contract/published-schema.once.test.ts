import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { CriticalityLevel, diff as Diff } from "@graphql-inspector/core";
import { buildSchema, GraphQLSchema } from "graphql";
import { describe, expect, it } from "vitest";
import { SCHEMA_FILE } from "../../src/paths.js";

// As CommonJS, which shares the tests' copy of graphql.
const { diff } = createRequire(import.meta.url)("@graphql-inspector/core") as { diff: typeof Diff };
const BREAKING: `${CriticalityLevel}` = "BREAKING";

const current = await readFile(SCHEMA_FILE, "utf8");
const published = await readFile(new URL("published.graphql", import.meta.url), "utf8");

/** Returns the major version in a schema's description, by default 1. */
const versionOf = ({ description }: GraphQLSchema) =>
  Number(/Version (\d+)/.exec(description ?? "")?.[1] ?? 1);

/** Returns a schema without mutations and the types that only they use. */
const withoutMutations = (schema: GraphQLSchema) =>
  new GraphQLSchema({ ...schema.toConfig(), mutation: null, types: [] });

/**
 * Lists the changes that break clients of the first schema. In a new major version, mutations may change, but queries may
 * not: "Clients of version 1" in docs/graphql.md.
 */
async function listBreaks(before: string, after: string): Promise<string[]> {
  const schemas = [buildSchema(before), buildSchema(after)] as const;
  const isMajor = versionOf(schemas[1]) > versionOf(schemas[0]);
  const changes = await diff(
    ...(isMajor ? (schemas.map(withoutMutations) as [GraphQLSchema, GraphQLSchema]) : schemas),
  );
  return changes.filter(({ criticality }) => criticality.level === BREAKING).map(({ message }) => message);
}

describe("schema.graphql", () => {
  it("breaks no client of the last published schema", async () => {
    expect(await listBreaks(published, current)).toEqual([]);
  });
});

describe("a breaking change", () => {
  /** Returns the published schema with one existing string replaced. */
  function change(text: string, by: string): string {
    expect(published).toContain(text);
    return published.replace(text, by);
  }

  it.each([
    [
      "a removed field",
      "\n  tonnesPerUnitExact: Decimal\n",
      "\n  tonnesPerUnitOfOutput: Decimal\n",
      ["Field 'tonnesPerUnitExact' was removed from object type 'EmissionIntensity'"],
    ],
    [
      "a field that becomes nullable",
      "  latestPrice: MarketPrice!\n",
      "  latestPrice: MarketPrice\n",
      ["Field 'Instrument.latestPrice' changed type from 'MarketPrice!' to 'MarketPrice'"],
    ],
    [
      "an input's field that becomes required",
      "  frameworks: [Framework!]\n",
      "  frameworks: [Framework!]!\n",
      ["Input field 'DeadlineFilter.frameworks' changed type from '[Framework!]' to '[Framework!]!'"],
    ],
    [
      "a removed enum value",
      "  QUARTER\n",
      "  THREE_MONTHS\n",
      ["Enum value 'QUARTER' was removed from enum 'TrendStep'"],
    ],
  ])("is %s", async (_what, text, by, expected) => {
    expect(await listBreaks(published, change(text, by))).toEqual(expected);
  });

  it("is not a mutation of a new major version, which changes no query", async () => {
    const one = "type Query { a: Int } type Mutation { write(a: Int): Int }";
    const two = "type Query { a: Int } type Mutation { write(input: Int): Int }";
    const major = (text: string) => `"Version 2." schema { query: Query mutation: Mutation } ${text}`;
    expect(await listBreaks(one, two)).toEqual(["Argument 'a: Int' was removed from field 'Mutation.write'"]);
    expect(await listBreaks(one, major(two))).toEqual([]);
    expect(await listBreaks(major(one), major(two))).toHaveLength(1);
    expect(await listBreaks(one, major(two.replace("a: Int }", "b: Int }")))).toEqual([
      "Field 'a' was removed from object type 'Query'",
    ]);
  });

  it("is not an addition or a deprecation", async () => {
    const deprecated = change(
      "  latestRecord: Date\n",
      '  latestRecord: Date @deprecated(reason: "Use records.")\n  "More."\n  more: Int\n',
    );
    expect(await listBreaks(published, deprecated)).toEqual([]);
  });
});
