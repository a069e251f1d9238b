import fc from "fast-check";
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from "graphql";
import { SCOPES } from "../../src/domain/scopes.js";
import { list } from "../support/list.js";
import { anyText } from "./bytes.js";

/** Notation of a value: a GraphQL literal, or JSON for a variable. */
type Notation = "literal" | "json";

/** Quotes a string. JSON and GraphQL both escape lone surrogates. */
export const quoted = (text: string) => JSON.stringify(text).replaceAll("\x7f", "\\u007f");

const days = fc.constantFrom(
  ...list(`
  2026-11-20 2026-11-01 2025-12-31 2024-02-29 2023-02-29 2025-02-30 1900-01-01 1899-12-31 2999-12-31
  3000-01-01 9999-12-31 0000-00-00 +275760-09-13 2026-11-20T00:00:00Z 20261120
`),
);
/** Amounts, most of which records accept. */
export const amounts = fc.constantFrom(
  "0",
  "1",
  "1.5",
  "0.000001",
  "999999999999.999999",
  "1e12",
  "0.0000001",
  "1000000000001",
  "-1",
  "-0",
  "1e400",
  "1e-400",
  "NaN",
  "Infinity",
  "0x10",
  "1,5",
  "",
);
/** Lengths of lists: at and just above the limits of the schema. */
export const LENGTHS = [20, 50, 51, 100, 101, 200, 201, 500, 501];
/** Longest text of a list, about twice the limit of a body: sending much more would block the test's own event loop. */
const MAX_TEXT = 500_000;

/** Repeats an item `length` times, or as often as fits. */
export const repeated = (item: string, length: number): string[] =>
  Array<string>(Math.min(length, Math.ceil(MAX_TEXT / (item.length + 1)))).fill(item);

/** Names of the tenant's rows or of the graph. */
const WORDS = [
  "VCS",
  "EUA",
  "Own credits",
  "steel",
  "pending",
  "kg",
  "CO2",
  "CH4",
  "Own code",
  "Own activity",
  "Own region",
];

const sizes = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 5 }) },
  fc.constantFrom(0, -1, 100, 101, 2 ** 31 - 1, -(2 ** 31)),
);
/** Values that no field accepts; some do not even parse. */
const hostile = (notation: Notation) =>
  fc.oneof(
    fc.constantFrom(
      "1e400",
      "-0",
      "0.5",
      "99999999999999999999",
      "-2147483649",
      "null",
      "true",
      "[]",
      "{}",
      "[[]]",
      "[null]",
      ...(notation === "json"
        ? ['{"__proto__":{"a":1}}', '{"constructor":1}', '{"a":1,"a":2}', '{"toString":null}', '"\\ud800"']
        : [
            "{__proto__: 1}",
            "{constructor: {}}",
            "{a: 1, a: 2}",
            '"\\u{110000}"',
            '"\\ud800"',
            "$nothing",
            "ENUM",
            '"""a"""',
          ]),
    ),
    anyText.map(quoted),
  );

/** Returns values of a type, most of them valid. */
export function valuesOf(
  type: GraphQLInputType,
  notation: Notation,
  stolen: readonly string[],
): fc.Arbitrary<string> {
  const nullable = getNullableType(type);
  const good = (): fc.Arbitrary<string> => {
    if (isListType(nullable)) {
      const item = valuesOf(nullable.ofType, notation, stolen);
      const many = fc.constantFrom(...LENGTHS).chain((count) => item.map((text) => repeated(text, count)));
      return fc
        .oneof({ weight: 9, arbitrary: fc.array(item, { maxLength: 4 }) }, many)
        .map((items) => `[${items.join(", ")}]`);
    }
    if (isEnumType(nullable)) {
      const names = nullable.getValues().map(({ name }) => (notation === "json" ? quoted(name) : name));
      return fc.constantFrom(...names);
    }
    if (isInputObjectType(nullable)) {
      const fields = Object.values(nullable.getFields());
      return members(fields, isRequiredInputField, notation, stolen).map((text) => `{${text}}`);
    }
    switch (getNamedType(nullable).name) {
      case "Int":
        return fc.oneof({ weight: 9, arbitrary: sizes }, fc.integer()).map(String);
      case "Boolean":
        return fc.boolean().map(String);
      case "Date":
        return days.map(quoted);
      case "DateTime":
        return fc.constantFrom("2027-11-20T10:00:00Z", "2026-11-20T10:00:00+05:30", "2026-11-20").map(quoted);
      case "Scope":
        return fc.constantFrom(...SCOPES).map(quoted);
      case "Decimal":
        return amounts.map(quoted);
      case "CountryCode":
        return fc.constantFrom("DE", "IN", "XX", "de").map(quoted);
      case "URL":
        return fc.constantFrom("https://example.org/a", "javascript:alert(1)", "http://[").map(quoted);
      case "UUID":
        return fc.oneof(fc.uuid(), fc.constantFrom(...stolen)).map(quoted);
      default:
        return fc.oneof(anyText, fc.constantFrom(...WORDS, ...stolen), cursor).map(quoted);
    }
  };
  return fc.oneof({ weight: 20, arbitrary: good() }, { weight: 1, arbitrary: hostile(notation) });
}

/** Strings in the form of a cursor that point nowhere. */
const cursor = fc.oneof(fc.array(anyText, { maxLength: 4 }), fc.jsonValue()).map((value) => {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
});

/** Returns members of an object or arguments of a field. Optional ones are omitted half the time. */
export function members<Member extends GraphQLArgument | GraphQLInputField>(
  all: readonly Member[],
  isRequired: (member: Member) => boolean,
  notation: Notation,
  stolen: readonly string[],
): fc.Arbitrary<string> {
  const written = all.map((member) => {
    const text = valuesOf(member.type, notation, stolen).map(
      (value) => `${notation === "json" ? quoted(member.name) : member.name}: ${value}`,
    );
    const absent = fc.constant("");
    const weights = isRequired(member) ? [40, 1] : [1, 1];
    return fc.oneof(
      { weight: weights[0] ?? 1, arbitrary: text },
      { weight: weights[1] ?? 1, arbitrary: absent },
    );
  });
  return fc.tuple(...written).map((texts) => texts.filter((text) => text !== "").join(", "));
}
