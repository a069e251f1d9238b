import { MapperKind, mapSchema } from "@graphql-tools/utils";
import { defaultFieldResolver, type GraphQLFieldConfig, type GraphQLSchema } from "graphql";
import { type Context, forgetReads } from "../../access/context.js";

/**
 * Forgets what was read before each field of Mutation wrote: the fields of its result, the mutation's later fields, which
 * graphql runs one after another, and later requests to this process read what is now in the database.
 */
export function forgetAfterMutations(schema: GraphQLSchema): GraphQLSchema {
  return mapSchema(schema, {
    [MapperKind.MUTATION_ROOT_FIELD]: (field: GraphQLFieldConfig<unknown, Context>) => {
      const { resolve = defaultFieldResolver } = field;
      return {
        ...field,
        async resolve(source, args, context, info) {
          try {
            return await resolve(source, args, context, info);
          } finally {
            forgetReads(context);
          }
        },
      };
    },
  });
}
