import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode,
  parse,
  validate,
} from "graphql";
import type { Context } from "../access/context.js";
import { hideKeys } from "../domain/keys/text.js";
import { type Scope, withoutImplied } from "../domain/scopes.js";
import { snakeCase } from "../domain/texts/snake-case.js";
import { AppError } from "../errors.js";
import { costOfDocument } from "../limits/cost/query-limits.js";
import { listScopes, type OperationEndpoint } from "./endpoint.js";

/** Values of an operation's variables, as JSON. */
export type Variables = Readonly<Record<string, unknown>>;

export interface PreparedEndpoint {
  readonly document: DocumentNode;
  /**
   * The cost of the operation in points. Throws BAD_REQUEST if it is over the lowest tier's limit; a mutation, which is for
   * sessions, over theirs.
   */
  costOf(variables: Variables): number;
  /**
   * Runs the operation in process; returns its result. Throws BAD_REQUEST if the graph refuses the input, and other refusals
   * with the paths of their problems in `body`.
   */
  run(context: Context, variables: Variables, body?: unknown): Promise<unknown>;
}

type Preparable = Pick<OperationEndpoint, "method" | "path" | "operation" | "scope" | "problemPath">;

/** The scopes that a document's fields require, in no order. */
export type ScopesOf = (schema: GraphQLSchema, document: DocumentNode) => Scope[];

/**
 * Makes an endpoint ready to run. Throws, which stops the server from starting, if the operation does not fit the schema,
 * needs other scopes than the endpoint declares, or is a mutation behind GET.
 */
export function prepareEndpoint(
  schema: GraphQLSchema,
  { method, path, operation, scope, problemPath }: Preparable,
  scopesOf: ScopesOf,
): PreparedEndpoint {
  const document = parse(operation);
  const [problem] = validate(schema, document);
  if (problem) throw new Error(`endpoint ${path}: its operation does not fit the schema: ${problem.message}`);
  const needed = withoutImplied(scopesOf(schema, document));
  const declared = listScopes(scope);
  const isMutation = getOperationAST(document)?.operation === OperationTypeNode.MUTATION;
  if (needed.join() !== declared.join()) {
    throw new Error(
      `endpoint ${path}: it declares ${declared.join(", ") || "no scope"}, but its operation needs ${needed.join(", ") || "no scope"}`,
    );
  }
  if (method === "GET" && getOperationAST(document)?.operation !== OperationTypeNode.QUERY) {
    throw new Error(`endpoint ${path}: GET must run a query`);
  }
  return {
    document,
    costOf(variables) {
      try {
        return costOfDocument(schema, document, variables, isMutation ? "enterprise" : "free");
      } catch (error) {
        throw asRestError(error);
      }
    },
    async run(contextValue, variableValues, body) {
      const { data, errors }: ExecutionResult = await execute({
        ...{ schema, document, contextValue, variableValues },
      });
      const [error] = errors ?? [];
      if (!error) {
        if (Object.values(data ?? {}).includes(null)) {
          throw new AppError("NOT_FOUND", "There is nothing with this id.");
        }
        return data;
      }
      // Without `data` nothing was executed: a scalar refused a variable.
      if (data === undefined) throw new AppError("BAD_REQUEST", hideKeys(error.message));
      throw asRestError(error.originalError ?? error, (path) => problemPath?.(path, body) ?? snakeCase(path));
    },
  };
}

/** Gives bad input the code that it has in REST, and its parts the paths that they have there. */
function asRestError(error: unknown, pathOf: (path: string) => string = snakeCase): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, message, details } = error;
  if (code === "BAD_USER_INPUT") return new AppError("BAD_REQUEST", message, { cause: error });
  const renamed = (details ?? []).map(({ path, message }) => {
    const own = pathOf(path);
    return { path: own, message: message.replaceAll(path, own), former: path };
  });
  if (!renamed.some(({ path, former }) => path !== former)) return error;
  return new AppError(
    code,
    renamed.reduce((text, { path, former }) => text.replaceAll(former, path), message),
    {
      details: renamed.map(({ path, message }) => ({ path, message })),
      cause: error,
    },
  );
}
