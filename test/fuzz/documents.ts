import fc from "fast-check";
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isRequiredArgument,
} from "graphql";
import { excesses } from "./excesses.js";
import { members } from "./graphql-values.js";

/** Variables that operations use, with their types. */
export const VARIABLES: Readonly<Record<string, string>> = {
  first: "Int",
  after: "String",
  range: "DateRangeInput",
  filter: "EmissionRecordFilter",
  statuses: "[FrameworkStatus!]",
  flag: "Boolean",
};

const DIRECTIVES = ["@include(if: true)", "@skip(if: false)", "@include(if: $flag)", "@skip(if: $flag)"];
const WRONG_DIRECTIVES = ["@deprecated", "@x", "@include", "@skip(if: $first)", '@include(if: "true")'];
const NAMES = ["a", "b", "data", "__proto__", "constructor", "toString", "then", "_"] as const;
/** Below a document's limit, so that most are executed. */
const MAX_ALIASES = 24;
/** Parts that make a document invalid. */
const WRONG = ["nothing", "__schema { types { name } }", "...Nothing", "{ a }", "...OnQuery", "a: name: b"];

type Text = fc.Arbitrary<string>;

/** Chooses `seldom` once in every `weight` times. */
const mostly = (often: Text, weight: number, seldom: Text): Text =>
  fc.oneof({ weight, arbitrary: often }, { weight: 1, arbitrary: seldom });
const nothing = fc.constant("");

/** Returns documents by the grammar and the schema; most are valid, and some exceed limits. */
export function documents(schema: GraphQLSchema, stolen: readonly string[]): Text {
  const query = schema.getQueryType() as GraphQLObjectType;
  const known = new Map<string, Text>();

  const argumentsOf = ({ args }: GraphQLField<unknown, unknown>): Text => {
    if (args.length === 0) return nothing;
    const variables = args
      .filter(({ name, type }) => VARIABLES[name] === String(type))
      .map(({ name }) => `${name}: $${name}`);
    const given = members(args, isRequiredArgument, "literal", stolen);
    // A document without a required argument would never be executed.
    const isNeeded = args.some(isRequiredArgument);
    return (
      isNeeded
        ? given
        : fc.oneof(
            { weight: 2, arbitrary: nothing },
            { weight: 2, arbitrary: given },
            { weight: 1, arbitrary: fc.subarray(variables).map((list) => list.join(", ")) },
          )
    ).map((text) => (text === "" ? "" : `(${text})`));
  };

  const callText = (field: GraphQLField<unknown, unknown>, depth: number): Text => {
    const type = getNamedType(field.type);
    const below = isObjectType(type) ? selection(type, depth - 1) : nothing;
    const directive = mostly(fc.constantFrom(...DIRECTIVES), 9, fc.constantFrom(...WRONG_DIRECTIVES));
    return fc
      .tuple(argumentsOf(field), mostly(nothing, 15, directive), below)
      .map(([given, applied, fields]) => `${field.name}${given} ${applied} ${fields}`);
  };
  const fieldText = (field: GraphQLField<unknown, unknown>, depth: number): Text => {
    const alias = fc.constantFrom(...NAMES).map((name) => `${name}: `);
    return fc.tuple(mostly(nothing, 8, alias), callText(field, depth)).map((parts) => parts.join(""));
  };

  const selection = (type: GraphQLObjectType, depth: number): Text => {
    const id = `${type.name} ${depth}`;
    const found = known.get(id);
    if (found) return found;
    const isLeaf = (field: GraphQLField<unknown, unknown>) => !isObjectType(getNamedType(field.type));
    const fields = Object.values(type.getFields()).filter((field) => depth > 0 || isLeaf(field));
    const typename = fc.constant("__typename");
    const one = fc.oneof(typename, ...fields.map((field) => fieldText(field, depth)));
    const around = fc.oneof(
      fc.constant(`...On${type.name}`),
      one.map((text) => `... { ${text} }`),
      one.map((text) => `... on ${type.name} @include(if: $flag) { ${text} }`),
    );
    const made = fc
      .array(mostly(mostly(one, 15, around), 300, fc.constantFrom(...WRONG)), { minLength: 1, maxLength: 4 })
      .map((texts) => `{ ${texts.join(" ")} }`);
    known.set(id, made);
    return made;
  };

  /** Adds the fragments that a text spreads, and those that they spread, now and then in a cycle. */
  const withFragments = (text: string, depth = 2): Text => {
    const defined = new Set(text.match(/(?<=fragment On)\w+/g));
    const wanted = [...new Set(text.match(/(?<=\.\.\.On)\w+/g))].filter((name) => !defined.has(name));
    if (wanted.length === 0) return fc.constant(text);
    const fragments = wanted.map((name) =>
      selection(schema.getType(name) as GraphQLObjectType, depth).map(
        (body) => `fragment On${name} on ${name} ${body}`,
      ),
    );
    return fc.tuple(...fragments).chain((more) => withFragments([text, ...more].join(" "), 0));
  };

  /** Repeats a field under many aliases, with different arguments. */
  const repeated = (field: GraphQLField<unknown, unknown>): Text =>
    fc
      .array(callText(field, 1), { minLength: 2, maxLength: MAX_ALIASES })
      .map((calls) => calls.map((call, index) => `a${index}: ${call}`).join(" "));
  const head = (text: string) => {
    const used = Object.entries(VARIABLES).filter(([name]) => new RegExp(`\\$${name}\\b`).test(text));
    return used.length === 0 ? "" : `(${used.map(([name, type]) => `$${name}: ${type}`).join(", ")})`;
  };
  /** Aliases of mutations, each of which writes. */
  const changes = fc
    .oneof(...Object.values((schema.getMutationType() as GraphQLObjectType).getFields()).map(repeated))
    .chain((text) => withFragments(`{ ${text} }`))
    .map((text) => `mutation ${head(text)} ${text}`);
  /** Aliases of root fields, and of fields with arguments below them. */
  const aliases = fc
    .oneof(
      ...Object.values(query.getFields()).flatMap((field) => {
        const type = getNamedType(field.type);
        const below = isObjectType(type) ? Object.values(type.getFields()) : [];
        const required = field.args.some(isRequiredArgument);
        return [
          repeated(field).map((text) => `{ ${text} }`),
          ...below
            .filter(({ args }) => args.length > 0 && !required)
            .map((each) => repeated(each).map((text) => `{ ${field.name} { ${text} } }`)),
        ];
      }),
    )
    .chain((text) => withFragments(text));

  const bodyOf = (root: GraphQLObjectType, depths: readonly number[]) =>
    fc.oneof(...depths.map((depth) => selection(root, depth))).chain((text) => withFragments(text));
  const body = bodyOf(query, [1, 2, 3, 4, 5]);
  const kind = mostly(fc.constant("query"), 40, fc.constantFrom("mutation", "subscription"));
  const name = mostly(nothing, 2, fc.constantFrom("Q", "A", "__proto__"));
  const change = fc.tuple(
    fc.constant("mutation"),
    name,
    bodyOf(schema.getMutationType() as GraphQLObjectType, [2, 3]),
  );
  const operation = fc
    .oneof({ weight: 3, arbitrary: fc.tuple(kind, name, body) }, { weight: 1, arbitrary: change })
    .map(([word, called, text]) => `${word} ${called}${head(text)} ${text}`);
  const several = fc.array(operation, { minLength: 2, maxLength: 3 }).map((texts) => texts.join(" "));
  return fc.oneof(
    { weight: 16, arbitrary: operation },
    { weight: 1, arbitrary: several },
    { weight: 2, arbitrary: excesses },
    { weight: 2, arbitrary: aliases },
    { weight: 1, arbitrary: changes },
  );
}
