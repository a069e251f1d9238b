import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isNonNullType,
  isObjectType,
  Kind,
} from "graphql";
import { z } from "zod";
import { capitalize } from "../../domain/texts/capitalize.js";
import { argumentOf, hasDirective } from "../directives.js";
import type { Operation } from "../read.js";
import type { OutputForm } from "./parts.js";
import { createSelections, type Examples, fieldOf, isShown } from "./selection.js";

/** The REST response of an operation. */
export interface Answer extends OutputForm {
  /** Reads `isNew` from a payload; undefined if the operation does not select it. */
  readonly readIsNew: ((result: unknown) => boolean) | undefined;
  /** True if the answer is one object with a version. */
  readonly hasVersion: boolean;
}

/**
 * Creates a function that derives the REST response of an operation. It throws if the selection does not determine it.
 */
export function createAnswers(
  schema: GraphQLSchema,
  examples: Examples | null,
): (operation: Pick<Operation, "name" | "definition" | "fragments">) => Answer {
  const { objectOf, selectedPart } = createSelections(schema, examples);

  /** Descends while the selection is a single object. The response is the selection of the last one. */
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
  { shape, example, reshape }: OutputForm,
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

/** Returns the type and the selection of a field's object; undefined for a list, a scalar, or a field with `@as`. */
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
