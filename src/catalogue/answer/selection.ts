import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import { z } from "zod";
import { capitalize } from "../../domain/texts/capitalize.js";
import { snakeCase } from "../../domain/texts/snake-case.js";
import { argumentOf, hasDirective } from "../directives.js";
import { pageItems } from "../list.js";
import type { Fragments } from "../read.js";
import { spellingOf } from "../spelling.js";
import {
  asItIs,
  leafOf,
  type Member,
  NEXT_CURSOR,
  type OutputForm,
  objectWith,
  optionalOf,
  orNull,
} from "./parts.js";

/** Example values by type and field. A field whose type implies an example may be omitted. */
export type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Location of a selected object, and its name unless a fragment names it. */
export interface SelectionPath {
  readonly fragments: Fragments;
  readonly name: string;
}

/** Returns the location of a property's object, named after its parent: `EmissionRecordFacility`. */
const below = ({ fragments, name }: SelectionPath, property: string): SelectionPath => ({
  fragments,
  name: name + property.split("_").map(capitalize).join(""),
});

/** Returns true unless a selected field is `@hidden`. */
export const isShown = (selection: SelectionNode) =>
  selection.kind !== Kind.FIELD || !hasDirective(selection, "hidden");

/**
 * Creates functions that derive the REST form of a document's selection. They throw if the selection does not determine
 * it. With `examples` null, the examples of the forms are incomplete.
 */
export function createSelections(schema: GraphQLSchema, examples: Examples | null) {
  const spell = spellingOf(schema);
  /** One shape per fragment, because a name must have only one. */
  const named = new Map<string, OutputForm>();

  function partOf(
    type: GraphQLOutputType,
    selections: SelectionSetNode | undefined,
    where: SelectionPath,
  ): OutputForm {
    if (isNonNullType(type)) return nonNullPart(type.ofType, selections, where);
    return orNull(nonNullPart(type, selections, where));
  }

  function nonNullPart(
    type: GraphQLOutputType,
    selections: SelectionSetNode | undefined,
    where: SelectionPath,
  ): OutputForm {
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

  /** Derives an object. It is named after the fragment that selects all of it, otherwise after its location. */
  function objectOf(type: GraphQLObjectType, selections: SelectionSetNode, where: SelectionPath): OutputForm {
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

  /** Derives the object that a fragment selects. */
  function fragmentPart(name: string, fragments: Fragments): OutputForm {
    const type = schema.getType(fragments.get(name)?.typeCondition.name.value ?? "");
    if (!isObjectType(type)) throw new Error(`there is no fragment ${name} of an object`);
    const spread = { kind: Kind.FRAGMENT_SPREAD, name: { kind: Kind.NAME, value: name } } as const;
    return objectOf(type, { kind: Kind.SELECTION_SET, selections: [spread] }, { fragments, name });
  }

  function membersOf(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    where: SelectionPath,
  ): Member[] {
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

  /** Derives the part of a field; a page if the field has `@page`. */
  function selectedPart(type: GraphQLOutputType, selection: FieldNode, where: SelectionPath): OutputForm {
    const fragment = argumentOf(selection, "shape", "fragment");
    if (fragment !== undefined)
      return orNull({ ...fragmentPart(fragment, where.fragments), reshape: asItIs });
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

  /** Derives a field's part with the field's description, and the field's own example if it has one. */
  function describedPart(
    type: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    selection: FieldNode,
    where: SelectionPath,
  ): OutputForm {
    const part = selectedPart(field.type, selection, below(where, nameOf(selection)));
    const { example, reshape } = part;
    const own = examples?.[type.name]?.[field.name];
    const isOptional = hasDirective(selection, "optional");
    const shape = isOptional ? optionalOf(part.shape) : part.shape;
    const isNullable = !isNonNullType(field.type) && !isOptional;
    const shown =
      own !== undefined ? own : isNullable && !isObjectType(getNamedType(field.type)) ? null : example;
    if (shown === undefined && examples) throw new Error(`${type.name}.${field.name} has no example`);
    // Zod would turn a description into a second shape of the same name.
    const isNamed = shape.meta()?.id !== undefined;
    const description = field.description && spell(field.description);
    return {
      shape: description && !isNamed ? shape.meta({ description }) : shape,
      example: shown,
      reshape,
    };
  }

  /** Returns the members that replace an `@inline` field. */
  function inlined(
    field: GraphQLField<unknown, unknown>,
    { name: { value: key }, selectionSet }: FieldNode,
    where: SelectionPath,
  ): Member[] {
    const type = getNamedType(field.type);
    if (!isObjectType(type) || !selectionSet)
      throw new Error(`${key} is not an object, so it cannot be @inline`);
    const isAlways = isNonNullType(field.type);
    return membersOf(type, selectionSet, where).map(({ name, part, read }) => ({
      name,
      read: (source) => (source[key] ? read(source[key]) : (null as never)),
      part: isAlways ? part : orNull(part),
    }));
  }

  /**
   * Derives `items` and `next_cursor` from `nodes` and `pageInfo`, and then the other fields; undefined unless both are
   * selected.
   */
  function pageMembers(
    type: GraphQLObjectType,
    selections: readonly FieldNode[],
    where: SelectionPath,
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

  return { objectOf, selectedPart, fragmentPart };
}

/** Returns the field of a type. Throws if it does not exist. */
export function fieldOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> {
  const field = type.getFields()[name];
  if (!field) throw new Error(`${type.name} has no field ${name}`);
  return field;
}
