import { readFileSync } from "node:fs";
import { makeExecutableSchema } from "@graphql-tools/schema";
import type { IResolvers } from "@graphql-tools/utils";
import { buildSchema, type GraphQLSchema } from "graphql";
import { once } from "../../domain/once.js";
import { enums, RESOLVERS } from "../../generated/resolver-list.js";
import { SCHEMA_FILE } from "../../paths.js";
import { forgetAfterMutations } from "../server/mutations.js";
import { paceLists, paceQueries } from "../server/scheduler.js";
import { prefixInputPaths } from "./input-paths.js";
import { refuseNulls } from "./present-directive.js";
import { scalars } from "./scalars.js";
import { enforceScopes } from "./scope-directive.js";

/** Returns the text of schema.graphql. */
export const ownDefinitions = once(() => readFileSync(SCHEMA_FILE, "utf8"));

/** Returns the executable schema of schema.graphql, shared by the gateways of a process that add nothing to it. */
export const ownSchema = once(() => createSchema(ownDefinitions()));

/**
 * Creates the executable schema of `typeDefs` (schema.graphql). It enforces scopes, refuses nulls, and paces queries and
 * large lists. `more` contains resolvers of fields that `typeDefs` adds to schema.graphql. Throws if a resolver has no field,
 * and like `enforceScopes`.
 */
export function createSchema(typeDefs: string, more: readonly IResolvers[] = []): GraphQLSchema {
  const schema = makeExecutableSchema({
    // Built here, because the library would print and parse them again. `npm run generate` validates schema.graphql.
    typeDefs: buildSchema(typeDefs, { noLocation: true, assumeValidSDL: true }),
    resolvers: [scalars, enums, ...RESOLVERS, ...more],
    resolverValidationOptions: { requireResolversToMatchSchema: "error" },
    updateResolversInPlace: true,
  });
  // Each wraps the resolvers that the ones before it have wrapped.
  for (const wrap of [
    paceQueries,
    forgetAfterMutations,
    prefixInputPaths,
    refuseNulls,
    enforceScopes,
    paceLists,
  ])
    wrap(schema);
  return schema;
}
