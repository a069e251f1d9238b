import { makeExecutableSchema } from "@graphql-tools/schema";
import { graphql } from "graphql";
import { describe, expect, it } from "vitest";
import type { Context } from "../../src/access/context.js";
import type { Scope } from "../../src/domain/scopes.js";
import { scalars } from "../../src/graphql/schema/scalars.js";
import { enforceScopes } from "../../src/graphql/schema/scope-directive.js";

const DIRECTIVE =
  "directive @requiresScopes(scopes: [[Scope!]!]!) on FIELD_DEFINITION | OBJECT\nscalar Scope\n";
const E = '["read:emissions"]';
const C = '["read:credits"]';

/** Returns a schema's answer to a caller with these scopes; null is a caller without a credential. */
async function answer(typeDefs: string, query: string, scopes: readonly Scope[] | null) {
  const schema = makeExecutableSchema({
    typeDefs: DIRECTIVE + typeDefs,
    resolvers: { Scope: scalars.Scope },
  });
  enforceScopes(schema);
  const thing = { name: "thing", secret: "secret" };
  const rootValue = { open: thing, one: thing, many: [thing], value: "value" };
  const contextValue = { access: scopes && { principal: { scopes } } } as unknown as Context;
  const { data, errors } = await graphql({ schema, source: query, rootValue, contextValue });
  return { data: data && { ...data }, refused: errors?.map(({ message }) => message) ?? [] };
}

describe("@requiresScopes", () => {
  it("on a field guards only that field", async () => {
    const types = `type Query { value: String @requiresScopes(scopes: [${E}]) open: Thing }
      type Thing { name: String secret: String @requiresScopes(scopes: [${E}]) }`;
    const query = "{ value open { name secret } }";
    expect(await answer(types, query, ["read:emissions"])).toEqual({
      data: { value: "value", open: { name: "thing", secret: "secret" } },
      refused: [],
    });
    expect(await answer(types, query, ["read:credits"])).toEqual({
      data: { value: null, open: { name: "thing", secret: null } },
      refused: Array(2).fill("The API key lacks the scope read:emissions."),
    });
  });

  it("on a type guards every field that returns it: alone, in a list, and non-null", async () => {
    const types = `type Query { one: Thing many: [Thing!] value: String }
      type Thing @requiresScopes(scopes: [${E}]) { name: String! }`;
    const query = "{ one { name } many { name } value }";
    expect(await answer(types, query, ["read:emissions"])).toEqual({
      data: { one: { name: "thing" }, many: [{ name: "thing" }], value: "value" },
      refused: [],
    });
    expect(await answer(types, query, [])).toEqual({
      data: { one: null, many: null, value: "value" },
      refused: Array(2).fill("The API key lacks the scope read:emissions."),
    });
    const never = types.replace("one: Thing", "one: Thing!");
    expect(await answer(never, query, [])).toEqual({
      data: null,
      refused: ["The API key lacks the scope read:emissions."],
    });
  });

  it.each([
    [["read:emissions", "read:credits"], true],
    [["read:market"], true],
    [["read:emissions"], false],
    [["read:credits", "read:benchmarks"], false],
    [[], false],
  ] as const)("admits callers with all the scopes of one alternative: %j is %s", async (scopes, allowed) => {
    const types =
      'type Query { value: String @requiresScopes(scopes: [["read:emissions", "read:credits"], ["read:market"]]) }';
    expect(await answer(types, "{ value }", scopes)).toEqual(
      allowed
        ? { data: { value: "value" }, refused: [] }
        : {
            data: { value: null },
            refused: ["The API key lacks the scope read:emissions and read:credits, or read:market."],
          },
    );
  });

  it.each([
    [["read:emissions", "read:credits"], []],
    [["read:emissions"], ["The API key lacks the scope read:credits."]],
    [["read:credits"], ["The API key lacks the scope read:emissions."]],
  ] as const)("on a field and on the type it returns requires both: %j", async (scopes, refused) => {
    const types = `type Query { one: Thing @requiresScopes(scopes: [${E}]) }
      type Thing @requiresScopes(scopes: [${C}]) { name: String }`;
    expect((await answer(types, "{ one { name } }", scopes)).refused).toEqual(refused);
  });

  it("admits nobody without a key", async () => {
    const types = `type Query { value: String @requiresScopes(scopes: [${E}]) }`;
    expect(await answer(types, "{ value }", null)).toEqual({
      data: { value: null },
      refused: ["No API key. Send it in the X-API-Key header."],
    });
  });

  it.each([
    ["a scope that does not exist", '[["read:everything"]]'],
    ["no alternative", "[]"],
    ["an alternative without a scope, which everybody would satisfy", `[${E}, []]`],
  ])("stops the gateway from starting if it names %s", async (_what, scopes) => {
    for (const types of [
      `type Query { value: String @requiresScopes(scopes: ${scopes}) }`,
      `type Query { one: Thing } type Thing @requiresScopes(scopes: ${scopes}) { name: String }`,
    ])
      await expect(answer(types, "{ __typename }", [])).rejects.toThrow(
        /needs at least one known scope|Argument "scopes" has invalid value/,
      );
  });

  it.each([
    ["an interface", "interface Any { name: String }", "implements Any"],
    ["a union", "union Any = Thing", ""],
  ])("stops the gateway from starting if %s would bypass it", async (_what, any, implementing) => {
    const types = `type Query { any: Any } ${any} type Thing ${implementing} @requiresScopes(scopes: [${E}]) { name: String }`;
    await expect(answer(types, "{ __typename }", [])).rejects.toThrow(
      "Thing requires scopes, but Any bypasses them",
    );
  });
});
