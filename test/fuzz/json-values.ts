import fc from "fast-check";
import { anyText } from "./bytes.js";
import { LENGTHS, quoted, repeated } from "./graphql-values.js";

/** As much of JSON Schema as zod writes for the bodies of requests. */
export interface ValueSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, ValueSchema>>;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ValueSchema[];
  readonly oneOf?: readonly ValueSchema[];
  readonly type?: string;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly items?: ValueSchema;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly description?: string;
}

/** Values that properties may have, by name, as texts. */
export type Dictionary = Readonly<Record<string, fc.Arbitrary<string>>>;

/** What no property takes; some of it no parser takes either. */
const hostile = fc.oneof(
  fc.constantFrom(
    "null",
    "true",
    "0",
    "-1",
    "1e400",
    "[]",
    "{}",
    "[[]]",
    "[null]",
    '""',
    '"\\ud800"',
    '"\\u0000"',
    '{"__proto__":{"a":1}}',
    '{"constructor":1}',
    '{"a":1,"a":2}',
    "{,}",
    "nul",
    "99999999999999999999",
  ),
  anyText.map(quoted),
  fc.integer({ min: 1_000, max: 300_000 }).map((length) => quoted("x".repeat(length))),
  fc.integer({ min: 1, max: 3_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
);

const TEXTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "date-time": fc.constantFrom(
    "2027-11-20T10:00:00Z",
    "2026-11-20T10:00:00+05:30",
    "+275760-09-13T00:00:00Z",
  ),
  uuid: fc.uuid(),
};

/** JSON texts of a schema, most of them right. */
export function jsonOf(schema: ValueSchema, dictionary: Dictionary): fc.Arbitrary<string> {
  const { $defs = {} } = schema;
  const mostlyOf = (at: ValueSchema, name: string): fc.Arbitrary<string> =>
    fc.oneof({ weight: 30, arbitrary: goodOf(at, name) }, { weight: 1, arbitrary: hostile });
  const goodOf = (at: ValueSchema, name: string): fc.Arbitrary<string> => {
    const target = at.$ref?.split("/").at(-1);
    if (target !== undefined) return goodOf($defs[target] ?? {}, name);
    if (at.anyOf) return fc.oneof(...at.anyOf.map((each) => goodOf(each, name)));
    if (at.enum) return fc.constantFrom(...at.enum).map((value) => JSON.stringify(value));
    if (at.const !== undefined) return fc.constant(JSON.stringify(at.const));
    switch (at.type) {
      case "object":
        return objectOf(Object.entries(at.properties ?? {}));
      case "array": {
        const few = fc.array(mostlyOf(at.items ?? {}, name), { maxLength: 6 });
        const many = fc
          .tuple(goodOf(at.items ?? {}, name), fc.constantFrom(...LENGTHS))
          .map(([item, length]) => repeated(item, length));
        return fc
          .oneof({ weight: 9, arbitrary: few }, { weight: 1, arbitrary: many })
          .map((items) => `[${items.join()}]`);
      }
      case "boolean":
        return fc.boolean().map(String);
      case "integer":
        return fc.oneof(fc.constantFrom(0, 1, 24, 168), fc.integer()).map(String);
      case "number":
        return fc.constantFrom("0", "1.5", "0.000001", "1e12", "1e21", "0.0000001", "-1", "-0", "1e400");
      case "null":
        return fc.constant("null");
      default:
        return (dictionary[name] ?? TEXTS[at.format ?? ""] ?? anyText).map(quoted);
    }
  };
  const objectOf = (properties: readonly (readonly [string, ValueSchema])[]) => {
    const members = properties.map(([name, below]) => {
      const member = mostlyOf(below, name).map((value) => `${quoted(name)}:${value}`);
      return fc.oneof({ weight: 8, arbitrary: member }, { weight: 1, arbitrary: fc.constant("") });
    });
    const extra = fc.oneof(
      { weight: 20, arbitrary: fc.constant("") },
      { weight: 1, arbitrary: fc.tuple(anyText, hostile).map(([name, value]) => `${quoted(name)}:${value}`) },
    );
    return fc.tuple(...members, extra).map((texts) => `{${texts.filter((text) => text !== "").join()}}`);
  };
  return mostlyOf(schema, "");
}
