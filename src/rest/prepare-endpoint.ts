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
import { hideKeys } from "../domain/key-text.js";
import type { Scope } from "../domain/scopes.js";
import { AppError } from "../errors.js";
import { costOfDocument } from "../limits/cost/query-limits.js";
import type { OperationEndpoint } from "./endpoint.js";

/** Values of an operation's variables, as JSON. */
export type Variables = Readonly<Record<string, unknown>>;

export interface PreparedEndpoint {
  readonly document: DocumentNode;
  /** The cost of the operation in points. Throws BAD_REQUEST if it is over the lowest tier's limit. */
  costOf(variables: Variables): number;
  /** Runs the operation in process and reshapes the result. Throws BAD_REQUEST if the graph refuses the input. */
  run(context: Context, variables: Variables): Promise<unknown>;
}

type Preparable = Pick<OperationEndpoint, "method" | "path" | "operation" | "scope" | "reshape">;

/** The scopes that a document's fields require, in no order. */
export type ScopesOf = (schema: GraphQLSchema, document: DocumentNode) => Scope[];

/**
 * Makes an endpoint ready to run. Throws, which stops the server from starting, if the operation does not fit the schema,
 * needs another scope than the endpoint declares, or is a mutation behind GET.
 */
export function prepareEndpoint(
  schema: GraphQLSchema,
  { method, path, operation, scope, reshape }: Preparable,
  scopesOf: ScopesOf,
): PreparedEndpoint {
  const document = parse(operation);
  const [problem] = validate(schema, document);
  if (problem) throw new Error(`endpoint ${path}: its operation does not fit the schema: ${problem.message}`);
  const needed = scopesOf(schema, document);
  if (needed.join() !== (scope ?? "")) {
    throw new Error(
      `endpoint ${path}: it declares ${scope ?? "no scope"}, but its operation needs ${needed.join(", ") || "no scope"}`,
    );
  }
  if (method === "GET" && getOperationAST(document)?.operation !== OperationTypeNode.QUERY) {
    throw new Error(`endpoint ${path}: GET must run a query`);
  }
  return {
    document,
    costOf(variables) {
      try {
        return costOfDocument(schema, document, variables);
      } catch (error) {
        throw asRestError(error);
      }
    },
    async run(contextValue, variableValues) {
      const { data, errors }: ExecutionResult = await execute({
        ...{ schema, document, contextValue, variableValues },
      });
      const [error] = errors ?? [];
      if (!error) {
        if (Object.values(data ?? {}).includes(null)) {
          throw new AppError("NOT_FOUND", "There is nothing with this id.");
        }
        return reshape(data);
      }
      // Without `data` nothing was executed: a scalar refused a variable.
      if (data === undefined) throw new AppError("BAD_REQUEST", hideKeys(error.message));
      throw asRestError(error.originalError ?? error);
    },
  };
}

/** Gives bad input the code that it has in REST, and its fields the names that they have there. */
function asRestError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, message, details } = error;
  if (code === "BAD_USER_INPUT") return new AppError("BAD_REQUEST", message, { cause: error });
  if (!details?.some(({ path }) => path !== snakeCase(path))) return error;
  const rename = (text: string) =>
    details.reduce((renamed, { path }) => renamed.replaceAll(path, snakeCase(path)), text);
  return new AppError(code, rename(message), {
    details: details.map((problem) => ({ path: rename(problem.path), message: rename(problem.message) })),
    cause: error,
  });
}

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
