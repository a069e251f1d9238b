import type { IScalarTypeResolver } from "@graphql-tools/utils";
import { GraphQLScalarType, GraphQLString } from "graphql";
import {
  GraphQLDateTime,
  GraphQLJSONObject,
  GraphQLLocalDate,
  GraphQLSafeInt,
  GraphQLUUID,
} from "graphql-scalars";
import { DECIMAL_LIMITS, readDecimal } from "../../domain/decimals.js";
import { isScope } from "../../domain/scopes.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { EXPECTED_COUNTRY, readCountry } from "../../regions/countries.js";

/**
 * Creates a scalar whose values are plain strings. Actions check the values of an input together with its other fields,
 * so that one response lists all problems.
 */
const textOf = (name: string) =>
  new GraphQLScalarType({ name, serialize: String, parseValue: GraphQLString.parseValue });

/** Returns the two-letter code of a country. */
function parseCountry(country: unknown): string {
  const code = typeof country === "string" ? readCountry(country) : undefined;
  if (code !== undefined) return code;
  throw new TypeError(`A country must be ${EXPECTED_COUNTRY}.`);
}

/** Parses a date. The library's own message would mention a `LocalDate`. */
function parseDate(date: unknown): string {
  try {
    return GraphQLLocalDate.parseValue(date);
  } catch {
    throw new TypeError("A date must be a calendar date, YYYY-MM-DD.");
  }
}

/** Reads a decimal as text. A JSON number gets the digits that JavaScript prints. */
function parseDecimal(value: unknown): string {
  const isGiven = typeof value === "string" || typeof value === "number";
  const decimal = isGiven ? readDecimal(String(value), DECIMAL_LIMITS) : undefined;
  if (decimal !== undefined) return decimal;
  throw new TypeError("A decimal must be a number, or text such as 1234.500001.");
}

/** Checks only the format. PostgreSQL guarantees that the date exists, but can print it in other formats. */
function serializeDate(date: unknown): string {
  if (typeof date !== "string" || !/^\d{4}-\d\d-\d\d$/.test(date)) {
    throw new TypeError(`a date must be YYYY-MM-DD (got ${String(date)})`);
  }
  return date;
}

const implementations = {
  // Dates stay strings: as points in time they would shift with the time zone.
  Date: new GraphQLScalarType({ name: "Date", parseValue: parseDate, serialize: serializeDate }),
  DateTime: GraphQLDateTime,
  UUID: GraphQLUUID,
  Month: textOf("Month"),
  URL: textOf("URL"),
  Currency: textOf("Currency"),
  CountryCode: new GraphQLScalarType({ name: "CountryCode", serialize: String, parseValue: parseCountry }),
  JSONObject: GraphQLJSONObject,
  Decimal: new GraphQLScalarType({
    name: "Decimal",
    serialize: String,
    parseValue: parseDecimal,
    parseLiteral: (node) => parseDecimal("value" in node ? node.value : undefined),
  }),
  SafeInt: GraphQLSafeInt,
  ServiceAccountScope: textOf("ServiceAccountScope"),
  Scope: new GraphQLScalarType({
    name: "Scope",
    parseValue(value) {
      if (typeof value !== "string" || !isScope(value)) throw new TypeError(`unknown scope ${String(value)}`);
      return value;
    },
  }),
} satisfies Resolvers;

/** Parsing and serialization of each scalar. Names and descriptions come from schema.graphql. */
export const scalars = Object.fromEntries(
  Object.entries<GraphQLScalarType>(implementations).map(
    ([name, { serialize, parseValue, parseLiteral }]) => [name, { serialize, parseValue, parseLiteral }],
  ),
) as Record<keyof typeof implementations, IScalarTypeResolver>;
