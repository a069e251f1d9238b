import { GraphQLScalarType } from "graphql";
import {
  GraphQLCurrency,
  GraphQLDate,
  GraphQLDateTime,
  GraphQLSafeInt,
  GraphQLURL,
  GraphQLUUID,
} from "graphql-scalars";
import { isScope } from "../domain/scopes.js";
import type { Resolvers } from "../generated/resolvers.js";

/** Links and currencies leave as they were recorded: the library would rewrite the one and refuse some of the other. */
const asRecorded = (scalar: GraphQLScalarType) =>
  new GraphQLScalarType({ ...scalar.toConfig(), serialize: String });

export const scalars = {
  Date: GraphQLDate,
  DateTime: GraphQLDateTime,
  UUID: GraphQLUUID,
  URL: asRecorded(GraphQLURL),
  Currency: asRecorded(GraphQLCurrency),
  SafeInt: GraphQLSafeInt,
  Scope: new GraphQLScalarType({
    name: "Scope",
    parseValue(value) {
      if (typeof value !== "string" || !isScope(value)) throw new TypeError(`unknown scope ${String(value)}`);
      return value;
    },
  }),
} satisfies Resolvers;
