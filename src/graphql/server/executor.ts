import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode,
} from "graphql";
import { LRUCache } from "lru-cache";
import type { Answer } from "../../access/answers.js";
import type { Context, OpenContext } from "../../access/context.js";
import { sizeOfText } from "../../domain/texts/size-in-memory.js";
import { MAX_PROBLEMS } from "../../errors.js";
import type { RequestInfo } from "../../http/request-info.js";
import type { RequestTracing } from "../../http/server/observer.js";
import { isComplete, type OperationAnswer, recodeExcessError, serialize, sizeOfAnswer } from "./result.js";
import { takeTurnInTime } from "./scheduler.js";

/** A parsed and validated operation, as Apollo Server passes it to its gateway. */
export interface ExecutableOperation {
  readonly document: DocumentNode;
  /** SHA-256 of the operation's text. */
  readonly queryHash: string;
  readonly request: {
    readonly operationName?: string;
    readonly variables?: Record<string, unknown>;
  };
  readonly context: Context;
}

/** Maximum size of the introspection cache, in bytes. */
const MAX_INTROSPECTION = 8 << 20;

export interface ExecutorOptions {
  readonly schema: GraphQLSchema;
  /** Returns true if all callers of an organization with the same scopes get the same answer to a document. */
  readonly isShared: (document: DocumentNode) => boolean;
  /** Returns an answer from the cache, or computes it. */
  readonly answer: Answer<OperationAnswer>;
  /** Opens the context of a mutation. It must not read cached rows, which may be older than its own writes. */
  readonly openUncached: OpenContext;
  readonly trace: RequestTracing["wrap"];
  /** Takes back the count of an introspection that the cache answers. */
  readonly uncountIntrospection: (request: RequestInfo) => Promise<void>;
}

/**
 * Creates the function that executes an operation, or answers a query from the cache. Always executes mutations, and
 * queries whose answers cannot be shared. Throws BAD_USER_INPUT if the answer is larger than 10 MB.
 */
export function createExecutor(options: ExecutorOptions) {
  const { schema, isShared, answer, openUncached, trace, uncountIntrospection } = options;
  const run = trace("execute", async (operation: ExecutableOperation, contextValue: Context) => {
    const { document, request } = operation;
    const { variables: variableValues, operationName } = request;
    // Counts the coercion of the variables as a computation, which may take as long as the ones that follow.
    await contextValue.access?.tenant.pace?.start();
    return serialize(
      recodeExcessError(
        await execute({
          schema,
          document,
          contextValue,
          variableValues,
          operationName,
          options: { maxCoercionErrors: MAX_PROBLEMS },
        }),
      ),
    );
  });
  const introspect = createIntrospection(run, uncountIntrospection);

  return async (operation: ExecutableOperation): Promise<ExecutionResult> => {
    const { document, queryHash, request, context } = operation;
    const { operationName, variables } = request;
    const { access } = context;
    const definition = getOperationAST(document, operationName);
    // The document has no operation of this name. `run` reports that, with the variables still unchecked.
    if (!definition) return run(operation, context);
    if (definition.operation !== OperationTypeNode.QUERY) {
      return run(operation, access ? openUncached(context.request, access) : context);
    }
    if (!access) return introspect(operation);
    if (!isShared(document)) return run(operation, context);

    const name = JSON.stringify([queryHash, operationName, variables], keepInfinite);
    return answer(name, context.request, access, (opened) => run(operation, opened));
  };
}

type Run = (operation: ExecutableOperation, context: Context) => Promise<OperationAnswer>;

/** Creates the function that answers introspection queries, whose answers are the same for every caller. */
function createIntrospection(run: Run, uncount: ExecutorOptions["uncountIntrospection"]) {
  const answers = new LRUCache<string, OperationAnswer>({
    maxSize: MAX_INTROSPECTION,
    sizeCalculation: (value, name) => sizeOfAnswer(value) + sizeOfText(name),
  });
  return async (operation: ExecutableOperation): Promise<OperationAnswer> => {
    const { queryHash, request, context } = operation;
    const name = JSON.stringify([queryHash, request.operationName, request.variables]);
    const cached = answers.get(name);
    if (cached) {
      await uncount(context.request);
      return cached;
    }
    await takeTurnInTime(context.request);
    const result = await run(operation, context);
    if (isComplete(result)) answers.set(name, result);
    return result;
  };
}

/**
 * Replaces a number too large for a float, such as 1e400. JSON would serialize it as null, so queries with different
 * answers would share a name in the cache.
 */
function keepInfinite(_name: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? { infinite: value > 0 } : value;
}
