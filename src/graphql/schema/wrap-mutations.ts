import { MapperKind, mapSchema } from "@graphql-tools/utils";
import {
  defaultFieldResolver,
  type GraphQLFieldConfig,
  type GraphQLFieldResolver,
  type GraphQLSchema,
} from "graphql";
import type { Context } from "../../access/context.js";

type Mutation = GraphQLFieldConfig<unknown, Context>;
type Resolve = GraphQLFieldResolver<unknown, Context>;

/** Replaces the resolver of each field of Mutation with the result of `wrap`. */
export const wrapMutations = (
  schema: GraphQLSchema,
  wrap: (resolve: Resolve, mutation: Mutation) => Resolve,
): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.MUTATION_ROOT_FIELD]: (mutation: Mutation) => ({
      ...mutation,
      resolve: wrap(mutation.resolve ?? defaultFieldResolver, mutation),
    }),
  });
