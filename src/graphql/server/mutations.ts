import { MapperKind, mapSchema } from "@graphql-tools/utils";
import { defaultFieldResolver, type GraphQLFieldConfig, type GraphQLSchema } from "graphql";
import { type Context, renewLoaders } from "../../access/context.js";

/**
 * Renews the context's loaders after each field of Mutation has written: the fields of its result, and the mutation's
 * later fields, which graphql runs one after another, read what is now in the database.
 */
export function renewAfterMutations(schema: GraphQLSchema): GraphQLSchema {
  return mapSchema(schema, {
    [MapperKind.MUTATION_ROOT_FIELD]: (field: GraphQLFieldConfig<unknown, Context>) => {
      const { resolve = defaultFieldResolver } = field;
      return {
        ...field,
        async resolve(source, args, context, info) {
          try {
            return await resolve(source, args, context, info);
          } finally {
            renewLoaders(context);
          }
        },
      };
    },
  });
}
