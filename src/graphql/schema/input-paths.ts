import { type GraphQLSchema, getNullableType, isInputObjectType } from "graphql";
import { AppError } from "../../errors.js";
import { wrapMutations } from "./wrap-fields.js";

/**
 * Adds `input.` to the paths of problems with a mutation's input: `name` becomes `input.name`. Actions do not know
 * about this argument, because commands run them as well. Paths that are not in the input, such as `version`, are
 * unchanged.
 */
export const prefixInputPaths = (schema: GraphQLSchema): void =>
  wrapMutations(schema, (resolve, { args }) => {
    const type = getNullableType(args.find(({ name }) => name === "input")?.type);
    if (!isInputObjectType(type)) return resolve;
    const fields = type.getFields();
    const prefix = (path: string) => ((/^\w+/.exec(path)?.[0] ?? "") in fields ? `input.${path}` : path);
    return async (source, given, context, info) => {
      try {
        return await resolve(source, given, context, info);
      } catch (error) {
        throw error instanceof AppError ? prefixPaths(error, prefix) : error;
      }
    };
  });

function prefixPaths(error: AppError, prefix: (path: string) => string): AppError {
  const { code, message, status, headers, extensions, details } = error;
  const { argument } = extensions;
  const isNamed = typeof argument === "string";
  return new AppError(code, isNamed ? message.replace(argument, prefix) : message, {
    status,
    headers: { ...headers },
    extensions: { ...extensions, ...(isNamed && { argument: prefix(argument) }) },
    ...(details && { details: details.map(({ path, message }) => ({ path: prefix(path), message })) }),
    // The details are already limited; the last one may count the others.
    maxDetails: details?.length,
    cause: error,
  });
}
