import type { GraphQLSchema } from "graphql";
import { forgetReads } from "../../access/context.js";
import { wrapMutations } from "../schema/wrap-fields.js";

/**
 * Discards cached reads after each field of Mutation. The fields of its result, the mutation's later fields (which
 * graphql runs one after another) and later requests to this process then read the current rows.
 */
export const forgetAfterMutations = (schema: GraphQLSchema): void =>
  wrapMutations(schema, (resolve) => async (source, args, context, info) => {
    try {
      return await resolve(source, args, context, info);
    } finally {
      forgetReads(context);
    }
  });
