import { makeExecutableSchema } from "@graphql-tools/schema";
import type { GraphQLSchema } from "graphql";
import { benchmarks } from "../resolvers/benchmarks.js";
import { compliance } from "../resolvers/compliance.js";
import { credits } from "../resolvers/credits.js";
import { emissions } from "../resolvers/emissions.js";
import { enums } from "../resolvers/enums.js";
import { key } from "../resolvers/key.js";
import { market } from "../resolvers/market.js";
import { scalars } from "./scalars.js";
import { takeTurns } from "./scheduler.js";
import { enforceScopes } from "./scope-directive.js";

/**
 * The executable schema of `typeDefs` (schema.graphql), scopes enforced, large lists in turns. Throws where a resolver
 * has no field, or a scope does not exist.
 */
export function createSchema(typeDefs: string): GraphQLSchema {
  const schema = makeExecutableSchema({
    typeDefs,
    resolvers: [scalars, enums, key, emissions, compliance, credits, benchmarks, market],
    resolverValidationOptions: { requireResolversToMatchSchema: "error" },
  });
  return takeTurns(enforceScopes(schema));
}
