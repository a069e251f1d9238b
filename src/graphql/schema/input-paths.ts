import { MapperKind, mapSchema } from "@graphql-tools/utils";
import {
  defaultFieldResolver,
  type GraphQLFieldConfig,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
} from "graphql";
import type { Context } from "../../access/context.js";
import { AppError } from "../../errors.js";

/**
 * Gives the problems of a mutation's input the paths that they have in the request, `input.name` for `name`. Actions, which
 * commands run as well, do not know about the argument. Paths that are not in the input, such as `version`, are unchanged.
 */
export function placeProblems(schema: GraphQLSchema): GraphQLSchema {
  return mapSchema(schema, {
    [MapperKind.MUTATION_ROOT_FIELD]: (field: GraphQLFieldConfig<unknown, Context>) => {
      const type = field.args?.["input"] && getNullableType(field.args["input"].type);
      if (!isInputObjectType(type)) return field;
      const fields = type.getFields();
      const place = (path: string) => ((/^\w+/.exec(path)?.[0] ?? "") in fields ? `input.${path}` : path);
      const { resolve = defaultFieldResolver } = field;
      return {
        ...field,
        async resolve(source, args, context, info) {
          try {
            return await resolve(source, args, context, info);
          } catch (error) {
            throw error instanceof AppError ? placeEach(error, place) : error;
          }
        },
      };
    },
  });
}

function placeEach(error: AppError, place: (path: string) => string): AppError {
  const { code, message, status, headers, extensions, details } = error;
  const { argument } = extensions;
  const isNamed = typeof argument === "string";
  return new AppError(code, isNamed ? message.replace(argument, place) : message, {
    status,
    headers: { ...headers },
    extensions: { ...extensions, ...(isNamed && { argument: place(argument) }) },
    ...(details && { details: details.map(({ path, message }) => ({ path: place(path), message })) }),
    // They are as many as an error shows, and say how many others there are.
    mostDetails: details?.length,
    cause: error,
  });
}
