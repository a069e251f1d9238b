import fc from "fast-check";
import { anyText } from "./bytes.js";
import { LENGTHS, quoted, repeated } from "./graphql-values.js";

/** The part of JSON Schema that zod writes for request bodies. */
export interface ValueSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, ValueSchema>>;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ValueSchema[];
  readonly oneOf?: readonly ValueSchema[];
  readonly type?: string;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
  readonly items?: ValueSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly description?: string;
}

/** JSON texts of values that properties may have, by name. */
export type Dictionary = Readonly<Record<string, fc.Arbitrary<string>>>;

/** Values that no property accepts; some do not even parse. */
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

/** Returns a text in other spellings, which may mean the same. */
const respelled = (text: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    text.toLowerCase(),
    text.toUpperCase(),
    ` ${text} `,
    text.replaceAll("_", "-"),
    text.replaceAll(/[\w.]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)),
  );

/** Returns values on both sides of the limits that a schema states. */
function besideLimits({ type, minimum, maximum, maxLength }: ValueSchema): fc.Arbitrary<string> | undefined {
  const beside = [minimum, maximum].flatMap((limit) =>
    limit === undefined ? [] : [limit - 1, limit, limit + 1],
  );
  if (type !== "string") return beside.length > 0 ? fc.constantFrom(...beside.map(String)) : undefined;
  return maxLength === undefined
    ? undefined
    : fc.constantFrom(
        ...["x", "é", "😀"].flatMap((letter) =>
          [0, 1].map((more) => quoted(letter.repeat(maxLength + more))),
        ),
      );
}

/** Returns JSON texts for a schema, most of them valid. */
export function jsonOf(schema: ValueSchema, dictionary: Dictionary): fc.Arbitrary<string> {
  const { $defs = {} } = schema;
  const mostlyOf = (at: ValueSchema, name: string): fc.Arbitrary<string> => {
    const limits = besideLimits(at);
    return fc.oneof(
      { weight: 30, arbitrary: goodOf(at, name) },
      { weight: 1, arbitrary: hostile },
      ...(limits ? [{ weight: 3, arbitrary: limits }] : []),
      // One value in place of a list.
      ...(at.type === "array" ? [{ weight: 1, arbitrary: goodOf(at.items ?? {}, name) }] : []),
    );
  };
  const goodOf = (at: ValueSchema, name: string): fc.Arbitrary<string> => {
    const target = at.$ref?.split("/").at(-1);
    if (target !== undefined) return goodOf($defs[target] ?? {}, name);
    if (at.anyOf) return fc.oneof(...at.anyOf.map((each) => goodOf(each, name)));
    if (at.enum) {
      const value = fc.constantFrom(...at.enum);
      const other = value.chain((one) => (typeof one === "string" ? respelled(one) : fc.constant(one)));
      return fc
        .oneof({ weight: 12, arbitrary: value }, { weight: 1, arbitrary: other })
        .map((one) => JSON.stringify(one));
    }
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
        return textOf(dictionary[name] ?? TEXTS[at.format ?? ""] ?? anyText).map(quoted);
    }
  };
  const textOf = (texts: fc.Arbitrary<string>) =>
    fc.oneof({ weight: 12, arbitrary: texts }, { weight: 1, arbitrary: texts.chain(respelled) });
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

/** Most items of a list in a valid value; some descriptions have lower limits. */
const MAX_ITEMS = 4;

/** Returns values that a schema allows. Properties in the dictionary get its values. */
export function validOf(root: ValueSchema, dictionary: Readonly<Record<string, fc.Arbitrary<unknown>>>) {
  const of = (at: ValueSchema, name: string): fc.Arbitrary<unknown> => {
    const target = at.$ref?.split("/").at(-1);
    if (target !== undefined) return of(root.$defs?.[target] ?? {}, name);
    const variants = at.anyOf ?? at.oneOf;
    if (variants) return fc.oneof(...variants.map((each) => of(each, name)));
    if (at.enum) return fc.constantFrom(...at.enum);
    if (at.const !== undefined) return fc.constant(at.const);
    const { type, items = {}, minItems = 0, maxItems = MAX_ITEMS, minimum, maximum } = at;
    if (type === "array")
      return fc.array(of(items, name), { minLength: minItems, maxLength: Math.min(maxItems, MAX_ITEMS) });
    if (type === "object") return objectOf(at);
    if (type === "boolean") return fc.boolean();
    if (type === "null") return fc.constant(null);
    const known = dictionary[name];
    if (known) return known;
    if (type === "integer")
      return fc.integer({ ...(minimum !== undefined && { min: minimum }), max: maximum ?? 2 ** 31 - 1 });
    if (type === "number") return fc.constantFrom(0, 1, 1.5, 1e-6, 1e12);
    return TEXTS[at.format ?? ""] ?? fc.string({ maxLength: Math.min(at.maxLength ?? 40, 40) });
  };
  const objectOf = ({ properties = {}, required = [] }: ValueSchema) =>
    fc.record(Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, of(each, name)])), {
      requiredKeys: [...required],
    });
  return objectOf(root);
}
