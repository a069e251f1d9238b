import type { IScalarTypeResolver } from "@graphql-tools/utils";
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
import { isScope } from "../../domain/scopes.js";
import type { Resolvers } from "../../generated/resolvers.js";

/** Links and currencies leave as they were recorded: the library would rewrite the one and refuse some of the other. */
const asRecorded = (scalar: GraphQLScalarType) =>
  new GraphQLScalarType({ ...scalar.toConfig(), serialize: String });

/** What is wrong with a date is not told in the library's words, which are of a `LocalDate`. */
function parseDate(date: unknown): string {
  try {
    return GraphQLLocalDate.parseValue(date);
  } catch {
    throw new TypeError("Days are written as YYYY-MM-DD.");
  }
}

/** The form alone: whether a date exists has been looked at where it came from. PostgreSQL has other forms too. */
function serializeDate(date: unknown): string {
  if (typeof date !== "string" || !/^\d{4}-\d\d-\d\d$/.test(date)) {
    throw new TypeError(`a date is to be YYYY-MM-DD, not ${String(date)}`);
  }
  return date;
}

const implementations = {
  // Calendar dates stay text: as points in time they would move with the time zone.
  Date: new GraphQLScalarType({ name: "Date", parseValue: parseDate, serialize: serializeDate }),
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

/** What each scalar does, and nothing else of it: names and descriptions are those of schema.graphql. */
export const scalars = Object.fromEntries(
  Object.entries<GraphQLScalarType>(implementations).map(
    ([name, { serialize, parseValue, parseLiteral }]) => [name, { serialize, parseValue, parseLiteral }],
  ),
) as Record<keyof typeof implementations, IScalarTypeResolver>;
