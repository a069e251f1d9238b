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
import { isObject } from "../domain/is-object.js";
import { listRequired, type RequiredScopes } from "../domain/scopes.js";
import { AppError } from "../errors.js";
import { costOfDocument } from "../limits/cost/query-limits.js";
import { type Callable, listScopes } from "./callable.js";
import { bodyPathOf, refuseArgument, refuseVariables } from "./refusals.js";
import { spellInputs } from "./spelling.js";

/** Values of an operation's variables, as JSON. */
export type Variables = Readonly<Record<string, unknown>>;

export interface PreparedEndpoint {
  readonly document: DocumentNode;
  /** True for a query. */
  readonly isRead: boolean;
  /**
   * Returns the operation's cost in points. Throws BAD_REQUEST if it exceeds the limit of the lowest tier. A mutation
   * has the limit of sessions and service accounts, because API keys cannot run it.
   */
  costOf(variables: Variables): number;
  /**
   * Runs the operation in process, and returns its result. Throws NOT_FOUND if the result is null. Refusals name the
   * part of the request that the caller sent: a query parameter, or a path in `body`.
   */
  run(context: Context, variables: Variables, body?: unknown): Promise<unknown>;
}

/** Returns the requirements of a document's fields, in no particular order. A caller must meet all of them. */
export type ScopesOf = (schema: GraphQLSchema, document: DocumentNode) => RequiredScopes[];

/**
 * The schema each document was validated against. REST, the tools and all gateways of a process run the same documents.
 */
const fitting = new WeakMap<DocumentNode, GraphQLSchema>();

/**
 * Prepares an endpoint to run. Throws if the operation does not fit the schema, requires other scopes than the endpoint
 * declares, or is a mutation behind GET.
 */
export function prepareEndpoint(
  schema: GraphQLSchema,
  endpoint: Callable,
  scopesOf: ScopesOf,
): PreparedEndpoint {
  const { method, path, operation, scope, name } = endpoint;
  const document = typeof operation === "string" ? parse(operation) : operation;
  if (fitting.get(document) !== schema) {
    const [problem] = validate(schema, document);
    if (problem)
      throw new Error(`endpoint ${path}: its operation does not fit the schema: ${problem.message}`);
    fitting.set(document, schema);
  }
  const declared = listScopes(scope);
  // The scopes of a catalogue operation are derived, not declared.
  const needed = name === undefined ? listRequired(scopesOf(schema, document)) : declared;
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
    isRead: !isMutation,
    costOf(variables) {
      try {
        return costOfDocument(schema, document, variables, isMutation ? "enterprise" : "free");
      } catch (error) {
        throw asRestError(schema, endpoint, error, variables);
      }
    },
    async run(contextValue, variableValues, body) {
      const { data, errors }: ExecutionResult = await execute({
        schema,
        document,
        contextValue,
        variableValues,
      });
      const [error] = errors ?? [];
      if (!error) {
        if (Object.values(data ?? {}).some(isMutation ? isNull : isMissing)) {
          throw new AppError("NOT_FOUND", "Nothing has this id.");
        }
        return data;
      }
      // Without `data`, graphql executed nothing, because it refused a variable.
      if (data === undefined) throw refuseVariables(endpoint, schema, document, variableValues, body);
      throw asRestError(schema, endpoint, error.originalError ?? error, variableValues, body);
    },
  };
}

const isNull = (found: unknown): boolean => found === null;

/** Returns true if an object is null, or if its only selected field is. */
function isMissing(found: unknown): boolean {
  if (!isObject(found)) return isNull(found);
  const [part, ...others] = Object.values(found);
  return part === null && others.length === 0;
}

/** Converts an input error to REST: its code, and the paths and names of its parts. */
function asRestError(
  schema: GraphQLSchema,
  endpoint: Callable,
  error: unknown,
  variables: Variables,
  body?: unknown,
): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, message, details } = error;
  if (code === "BAD_USER_INPUT") return refuseArgument(endpoint, error, variables, body);
  const spell = (text: string) =>
    spellInputs(schema, nameHeader(text), (name) => bodyPathOf(endpoint, `input.${name}`, body));
  const renamed = (details ?? []).map(({ path, message }) => {
    const own = path === "" ? path : bodyPathOf(endpoint, path, body);
    return {
      path: own,
      message: spell(renamePart(message, path, own)),
      former: path,
    };
  });
  if (!renamed.some(({ path, former }) => path !== former) && spell(message) === message) return error;
  return new AppError(
    code,
    spell(renamed.reduce((text, { path, former }) => renamePart(text, former, path), message)),
    {
      details: renamed.map(({ path, message }) => ({ path, message })),
      // The details are already limited; the last one may count the others.
      maxDetails: renamed.length,
      cause: error,
    },
  );
}

/** Replaces the path of a part in a message. The message may omit the argument. */
function renamePart(message: string, former: string, own: string): string {
  if (former === "") return message;
  return message.replaceAll(message.includes(former) ? former : former.replace(/^input\./, ""), () => own);
}

/** Mentions `If-Match` in a message about an outdated version, because the version came in that header. */
const nameHeader = (message: string): string =>
  message.replace(
    /expectedVersion is (\d+), and the current version is (\d+)/,
    'If-Match is "$1", and the current version is "$2"',
  );
