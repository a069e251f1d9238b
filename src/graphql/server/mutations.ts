import type { GraphQLSchema } from "graphql";
import { forgetReads } from "../../access/context.js";
import { wrapMutations } from "../schema/wrap-mutations.js";

/**
 * Forgets what was read before each field of Mutation wrote: the fields of its result, the mutation's later fields, which
 * graphql runs one after another, and later requests to this process read what is now in the database.
 */
export const forgetAfterMutations = (schema: GraphQLSchema): GraphQLSchema =>
  wrapMutations(schema, (resolve) => async (source, args, context, info) => {
    try {
      return await resolve(source, args, context, info);
    } finally {
      forgetReads(context);
    }
  });
