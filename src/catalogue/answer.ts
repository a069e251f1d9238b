import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import { z } from "zod";
import { SCOPES } from "../domain/scopes.js";
import { snakeCase } from "../domain/texts/snake-case.js";
import { argumentOf, hasDirective } from "./directives.js";
import { nextCursor, nextCursorShape, pageItems } from "./list.js";
import type { Fragments, Operation } from "./read.js";
import { capitalize, createSpelling, valuesOf } from "./spelling.js";

/** The REST form of a part of an operation's result. */
interface Part {
  readonly shape: z.ZodType;
  readonly example: unknown;
  /** From the graph's spelling to REST's. */
  readonly reshape: (value: never) => unknown;
}

/** A property of an object of REST. */
interface Member {
  readonly name: string;
  readonly part: Part;
  /** The value in the graph's object. */
  readonly read: (source: Record<string, never>) => never;
  readonly isOptional?: boolean;
}

/** The REST response of an operation. */
export interface Answer extends Part {
  /** Reads `isNew` from a payload; undefined if the operation does not select it. */
  readonly readIsNew: ((result: unknown) => boolean) | undefined;
  /** Returns true if the answer is one object with a version. */
  readonly hasVersion: boolean;
}

/** Example values by type and field. Fields whose type implies an example are left out. */
export type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Scalar {
  readonly shape: () => z.ZodType;
  readonly example?: unknown;
  readonly reshape?: (value: never) => unknown;
}

/** The place of a selected object, with a name for it in case no fragment names it. */
interface Where {
  readonly fragments: Fragments;
  readonly name: string;
}

/** The place of a property's object, named after its parent: `EmissionRecordFacility`. */
const below = ({ fragments, name }: Where, property: string): Where => ({
  fragments,
  name: name + property.split("_").map(capitalize).join(""),
});

const asText: Scalar = { shape: () => z.string() };

/** Scalars whose example is left out have none that fits every field. */
const SCALARS: Readonly<Record<string, Scalar>> = {
  String: asText,
  ID: asText,
  Scope: { shape: () => z.enum(SCOPES) },
  CountryCode: { ...asText, example: "DE" },
  Currency: { ...asText, example: "EUR" },
  Decimal: { ...asText, example: "12.5" },
  UUID: { shape: () => z.uuid(), example: "5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a" },
  URL: { shape: () => z.url(), example: "https://example.com/" },
  Month: asText,
  Date: { shape: () => z.iso.date(), example: "2026-11-20" },
  DateTime: {
    shape: () => z.iso.datetime(),
    example: "2026-11-20T10:00:00.000Z",
    reshape: (time: Date) => time.toISOString(),
  },
  Int: { shape: () => z.int(), example: 1 },
  SafeInt: { shape: () => z.int(), example: 1 },
  Float: { shape: () => z.number(), example: 12.5 },
  Boolean: { shape: () => z.boolean(), example: false },
  JSONObject: { shape: () => z.record(z.string(), z.unknown()), example: {} },
};

const NEXT_CURSOR: Part = { shape: nextCursorShape, example: null, reshape: nextCursor };

const isShown = (selection: SelectionNode) =>
  selection.kind !== Kind.FIELD || !hasDirective(selection, "hidden");

/** A part that may be null. */
const orNull = ({ shape, example, reshape }: Part): Part => ({
  shape: shape.nullable(),
  example,
  reshape: (value) => (value === null || value === undefined ? null : reshape(value)),
});

const asItIs = (value: never): unknown => value;

/** Creates a function that derives the REST response of an operation. It throws if the selection does not determine it. */
export function createAnswers(
  schema: GraphQLSchema,
  examples: Examples,
): (operation: Pick<Operation, "name" | "definition" | "fragments">) => Answer {
  const spell = createSpelling(schema);
  /** One shape for each fragment, since a name must have one. */
  const named = new Map<string, Part>();

  function leafOf(type: GraphQLOutputType): Part {
    if (isEnumType(type)) {
      const values = new Map(type.getValues().map(({ name, value }) => [name, String(value)]));
      const [first] = valuesOf(type);
      return { shape: z.enum(valuesOf(type)), example: first, reshape: (name) => values.get(name) };
    }
    const scalar = isScalarType(type) ? SCALARS[type.name] : undefined;
    if (!scalar) throw new Error(`the catalogue cannot answer with a ${String(type)}`);
    return { shape: scalar.shape(), example: scalar.example, reshape: scalar.reshape ?? asItIs };
  }

  function partOf(type: GraphQLOutputType, selections: SelectionSetNode | undefined, where: Where): Part {
    if (isNonNullType(type)) return presentPart(type.ofType, selections, where);
    return orNull(presentPart(type, selections, where));
  }

  function presentPart(
    type: GraphQLOutputType,
    selections: SelectionSetNode | undefined,
    where: Where,
  ): Part {
    if (isListType(type)) {
      const { shape, example, reshape } = partOf(type.ofType, selections, where);
      return {
        shape: z.array(shape),
        example: example === undefined ? undefined : [example],
        reshape: reshape === asItIs ? asItIs : (items: never[]) => items.map(reshape),
      };
    }
    return isObjectType(type) && selections ? objectOf(type, selections, where) : leafOf(type);
  }

  /** An object has the name of the fragment that selects all of it, otherwise that of its place. */
  function objectOf(type: GraphQLObjectType, selections: SelectionSetNode, where: Where): Part {
    const [only, ...others] = selections.selections;
    const isFragment = only?.kind === Kind.FRAGMENT_SPREAD && others.length === 0;
    const id = isFragment ? only.name.value : where.name;
    const known = isFragment ? named.get(id) : undefined;
    if (known) return known;
    const { shape, ...rest } = objectWith(membersOf(type, selections, { ...where, name: id }));
    const description = type.description && spell(type.description);
    const part = { shape: shape.meta({ id, ...(description && { description }) }), ...rest };
    if (isFragment) named.set(id, part);
    return part;
  }

  function membersOf(type: GraphQLObjectType, { selections }: SelectionSetNode, where: Where): Member[] {
    if (type.name.endsWith("Connection")) {
      const page = pageMembers(type, selections as readonly FieldNode[], where);
      if (page) return page;
    }
    return selections.filter(isShown).flatMap((selection): Member[] => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = where.fragments.get(selection.name.value);
        if (!fragment) throw new Error(`there is no fragment ${selection.name.value}`);
        return membersOf(type, fragment.selectionSet, where);
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        const name = argumentOf(selection, "as", "name");
        if (name === undefined) return membersOf(type, selection.selectionSet, where);
        const inside = below(where, name);
        const { shape, ...part } = objectWith(membersOf(type, selection.selectionSet, inside));
        return [
          {
            name,
            part: { shape: shape.meta({ id: inside.name }), ...part },
            read: (source) => source as never,
          },
        ];
      }
      const { value: key } = selection.name;
      const field = fieldOf(type, key);
      if (hasDirective(selection, "inline")) return inlined(field, selection, where);
      return [
        {
          name: nameOf(selection),
          part: describedPart(type, field, selection, where),
          read: (source) => source[key] as never,
          isOptional: hasDirective(selection, "optional"),
        },
      ];
    });
  }

  const nameOf = (selection: FieldNode) =>
    argumentOf(selection, "as", "name") ?? snakeCase(selection.name.value);

  /** The part of a field; a page if the field has `@page`. */
  function selectedPart(type: GraphQLOutputType, selection: FieldNode, where: Where): Part {
    if (!hasDirective(selection, "page")) return partOf(type, selection.selectionSet, where);
    const { shape, ...page } = objectWith([
      {
        name: "items",
        part: partOf(type, selection.selectionSet, below(where, "item")),
        read: (items) => items as never,
      },
      { name: "next_cursor", part: NEXT_CURSOR, read: () => ({ hasNextPage: false }) as never },
    ]);
    return { shape: shape.meta({ id: where.name }), ...page };
  }

  /** A field's part with the field's description, and the example of the field if it has one of its own. */
  function describedPart(
    type: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    selection: FieldNode,
    where: Where,
  ): Part {
    const part = selectedPart(field.type, selection, below(where, nameOf(selection)));
    const { example, reshape } = part;
    const own = examples[type.name]?.[field.name];
    const isOptional = hasDirective(selection, "optional");
    const shape = isOptional ? optionalOf(part.shape) : part.shape;
    const isNullable = !isNonNullType(field.type) && !isOptional;
    const shown =
      own !== undefined ? own : isNullable && !isObjectType(getNamedType(field.type)) ? null : example;
    if (shown === undefined) throw new Error(`${type.name}.${field.name} has no example`);
    // A description would be a second shape of the same name.
    const isNamed = shape.meta()?.id !== undefined;
    const description = field.description && spell(field.description);
    return {
      shape: description && !isNamed ? shape.meta({ description }) : shape,
      example: shown,
      reshape,
    };
  }

  /** The members that replace an `@inline` field. */
  function inlined(
    field: GraphQLField<unknown, unknown>,
    { name: { value: key }, selectionSet }: FieldNode,
    where: Where,
  ): Member[] {
    const type = getNamedType(field.type);
    if (!isObjectType(type) || !selectionSet) throw new Error(`${key} is no object, so it cannot be @inline`);
    const isAlways = isNonNullType(field.type);
    return membersOf(type, selectionSet, where).map(({ name, part, read }) => ({
      name,
      read: (source) => (source[key] ? read(source[key]) : (null as never)),
      part: isAlways ? part : orNull(part),
    }));
  }

  /** `{ nodes { … } pageInfo { hasNextPage endCursor } }` as `{ items, next_cursor }`. */
  function pageMembers(
    type: GraphQLObjectType,
    selections: readonly FieldNode[],
    where: Where,
  ): Member[] | undefined {
    const nodes = selections.find(({ name }) => name.value === "nodes");
    if (!nodes || !selections.some(({ name }) => name.value === "pageInfo")) return undefined;
    const others = selections.filter(({ name }) => name.value !== "nodes" && name.value !== "pageInfo");
    const items = partOf(fieldOf(type, "nodes").type, nodes.selectionSet, below(where, "item"));
    return [
      {
        name: "items",
        part: { ...items, shape: pageItems(items.shape) },
        read: ({ nodes }) => nodes as never,
      },
      { name: "next_cursor", part: NEXT_CURSOR, read: ({ pageInfo }) => pageInfo as never },
      ...membersOf(type, { kind: Kind.SELECTION_SET, selections: others }, where),
    ];
  }

  /** While the selection is a single object, the response is that object's selection. */
  return ({ name, definition, fragments }) => {
    const where = { fragments, name: capitalize(name) };
    let type = rootOf(schema, definition.operation);
    let { selectionSet } = definition;
    const steps: string[] = [];
    let readIsNew: Answer["readIsNew"];
    for (;;) {
      const fields = selectionSet.selections.filter((one) => one.kind === Kind.FIELD);
      const isNew = fields.find(({ name }) => name.value === "isNew");
      const rest = selectionSet.selections.filter((one) => one !== isNew && isShown(one));
      if (isNew) {
        const above = [...steps];
        readIsNew = (result) => follow(result, above)["isNew"] === true;
      }
      const [only, ...others] = rest;
      const below = only?.kind === Kind.FIELD ? objectBelow(type, only) : undefined;
      if (only?.kind === Kind.FIELD && others.length === 0 && hasDirective(only, "page")) {
        const part = selectedPart(fieldOf(type, only.name.value).type, only, where);
        return finish(part, [...steps, only.name.value], readIsNew);
      }
      if (only?.kind !== Kind.FIELD || others.length > 0 || !below) {
        return finish(objectOf(type, { ...selectionSet, selections: rest }, where), steps, readIsNew);
      }
      steps.push(only.name.value);
      ({ type, selectionSet } = below);
    }
  };
}

function finish(
  { shape, example, reshape }: Part,
  steps: readonly string[],
  readIsNew: Answer["readIsNew"],
): Answer {
  return {
    shape,
    example,
    reshape: (result) => reshape(follow(result, steps) as never),
    readIsNew,
    hasVersion: shape instanceof z.ZodObject && "version" in shape.shape,
  };
}

/** The object in a field without a name of its own, and what is selected of it; undefined for a list or a scalar. */
function objectBelow(type: GraphQLObjectType, field: FieldNode) {
  const { type: output } = fieldOf(type, field.name.value);
  const present = isNonNullType(output) ? output.ofType : output;
  const { selectionSet } = field;
  if (!isObjectType(present) || !selectionSet || argumentOf(field, "as", "name") !== undefined)
    return undefined;
  return { type: present, selectionSet };
}

const follow = (result: unknown, steps: readonly string[]) =>
  steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], result) as Record<
    string,
    unknown
  >;

function rootOf(schema: GraphQLSchema, operation: "query" | "mutation" | "subscription"): GraphQLObjectType {
  const root = schema.getRootType(operation as never);
  if (!root) throw new Error(`the schema has no ${operation}`);
  return root;
}

function fieldOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> {
  const field = type.getFields()[name];
  if (!field) throw new Error(`${type.name} has no field ${name}`);
  return field;
}

/** The shape of a property that is omitted instead of null. */
const optionalOf = (shape: z.ZodType): z.ZodType =>
  (shape instanceof z.ZodNullable ? (shape.unwrap() as z.ZodType) : shape).optional();

const isNothing = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

/** An object of members, in their order. */
function objectWith(members: readonly Member[]): Part {
  const names = members.map(({ name }) => name);
  const reads = members.map(({ read }) => read);
  const reshapes = members.map(({ part }) => part.reshape);
  const optional = members.map(({ isOptional }) => isOptional);
  return {
    shape: z.object(Object.fromEntries(members.map(({ name, part }) => [name, part.shape]))),
    example: Object.fromEntries(members.map(({ name, part }) => [name, part.example])),
    reshape(source: Record<string, never>) {
      const target: Record<string, unknown> = {};
      for (let index = 0; index < names.length; index += 1) {
        const value = reshapes[index]?.(reads[index]?.(source) as never);
        if (!optional[index] || !isNothing(value)) target[names[index] as string] = value;
      }
      return target;
    },
  };
}
