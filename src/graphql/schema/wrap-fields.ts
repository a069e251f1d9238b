import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  isIntrospectionType,
  isObjectType,
} from "graphql";
import type { Context } from "../../access/context.js";

export type Field = GraphQLField<unknown, Context>;
export type Resolve = GraphQLFieldResolver<unknown, Context>;
type Wrap = (resolve: Resolve, field: Field) => Resolve;

/**
 * Replaces the resolver of each field of an object type with the result of `wrap`. Modifies `schema`, because copying
 * it takes longer than everything else.
 */
export function wrapFields(schema: GraphQLSchema, wrap: Wrap): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isObjectType(type) && !isIntrospectionType(type)) wrapFieldsOf(type, wrap);
  }
}

/** Replaces the resolver of each field of Mutation with the result of `wrap`. */
export function wrapMutations(schema: GraphQLSchema, wrap: Wrap): void {
  const mutation = schema.getMutationType();
  if (mutation) wrapFieldsOf(mutation, wrap);
}

function wrapFieldsOf(type: GraphQLObjectType<unknown, Context>, wrap: Wrap): void {
  for (const field of Object.values(type.getFields())) {
    const resolve = field.resolve ?? defaultFieldResolver;
    const wrapped = wrap(resolve, field);
    if (wrapped !== resolve) field.resolve = wrapped;
  }
}
