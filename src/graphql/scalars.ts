import { GraphQLScalarType } from "graphql";
import {
  GraphQLCountryCode,
  GraphQLCurrency,
  GraphQLDateTime,
  GraphQLLocalDate,
  GraphQLSafeInt,
  GraphQLURL,
  GraphQLUUID,
} from "graphql-scalars";
import { isScope } from "../domain/scopes.js";
import type { Resolvers } from "../generated/resolvers.js";

/**
 * Leaves as it was recorded: the library would rewrite links, refuse some currencies, and examine once more each date that
 * the database has found to exist.
 */
const asRecorded = (scalar: GraphQLScalarType) =>
  new GraphQLScalarType({ ...scalar.toConfig(), serialize: String });

export const scalars = {
  // Calendar dates stay text: as points in time they would move with the time zone.
  Date: asRecorded(new GraphQLScalarType({ ...GraphQLLocalDate.toConfig(), name: "Date" })),
  DateTime: GraphQLDateTime,
  UUID: GraphQLUUID,
  URL: asRecorded(GraphQLURL),
  Currency: asRecorded(GraphQLCurrency),
  CountryCode: asRecorded(GraphQLCountryCode),
  Decimal: new GraphQLScalarType({ name: "Decimal", serialize: String }),
  SafeInt: GraphQLSafeInt,
  Scope: new GraphQLScalarType({
    name: "Scope",
    parseValue(value) {
      if (typeof value !== "string" || !isScope(value)) throw new TypeError(`unknown scope ${String(value)}`);
      return value;
    },
  }),
} satisfies Resolvers;
