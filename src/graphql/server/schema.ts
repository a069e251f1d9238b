import { makeExecutableSchema } from "@graphql-tools/schema";
import type { IResolvers } from "@graphql-tools/utils";
import type { GraphQLSchema } from "graphql";
import { apiKeys } from "../resolvers/api-keys.js";
import { audit } from "../resolvers/audit.js";
import { benchmarks } from "../resolvers/benchmarks.js";
import { compliance } from "../resolvers/compliance.js";
import { credits } from "../resolvers/credits.js";
import { emissions } from "../resolvers/emissions.js";
import { enums } from "../resolvers/enums.js";
import { factors } from "../resolvers/factors.js";
import { key } from "../resolvers/key.js";
import { market } from "../resolvers/market.js";
import { members } from "../resolvers/members.js";
import { viewer } from "../resolvers/viewer.js";
import { forgetAfterMutations } from "./mutations.js";
import { scalars } from "./scalars.js";
import { paceLists } from "./scheduler.js";
import { enforceScopes } from "./scope-directive.js";

const RESOLVERS = [
  ...[scalars, enums, key, emissions, compliance, credits, benchmarks, market],
  ...[factors, viewer, members, apiKeys, audit],
];

/**
 * Makes the executable schema of `typeDefs` (schema.graphql), with scopes enforced and large lists paced. `more` are
 * resolvers of fields that `typeDefs` adds to schema.graphql. Throws if a resolver has no field or a scope does not exist.
 */
export function createSchema(typeDefs: string, more: readonly IResolvers[] = []): GraphQLSchema {
  const schema = makeExecutableSchema({
    typeDefs,
    resolvers: [...RESOLVERS, ...more],
    resolverValidationOptions: { requireResolversToMatchSchema: "error" },
  });
  return paceLists(enforceScopes(forgetAfterMutations(schema)));
}
