import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  visit,
} from "graphql";
import type { Answer, Context } from "../context.js";

/** An operation that has been parsed and validated, as Apollo Server hands it over. */
export interface ExecutableOperation {
  readonly document: DocumentNode;
  /** Digest of the operation's text. */
  readonly queryHash: string;
  readonly request: {
    readonly operationName?: string;
    readonly variables?: Record<string, unknown>;
  };
  readonly context: Context;
}

const JSON_TEXT = Symbol("JSON");

/** `data` of a result whose JSON is known. */
interface SerializedData {
  readonly [JSON_TEXT]: string;
}

/** What is remembered of an operation: a result whose `data` is JSON, or, not for long, one with errors. */
export type OperationAnswer = ExecutionResult;

/** Characters of an answer's JSON. */
export const sizeOfAnswer = ({ data }: OperationAnswer): number => readText(data)?.length ?? 0;

/** Whether an answer may be remembered: errors are of the moment. */
export const isComplete = ({ errors }: OperationAnswer): boolean => errors === undefined;

/**
 * Makes the function that executes an operation, or answers it from memory. What shows the request itself, such as what
 * is left of its budget, is executed every time.
 */
export function createExecutor(schema: GraphQLSchema, answer: Answer<OperationAnswer>) {
  const ofRequests = new WeakMap<DocumentNode, boolean>();

  return async (operation: ExecutableOperation): Promise<ExecutionResult> => {
    const { document, queryHash, request, context } = operation;
    const { operationName, variables } = request;
    const run = async (contextValue: Context): Promise<ExecutionResult> =>
      nameExcess(await execute({ schema, document, contextValue, variableValues: variables, operationName }));
    const { access } = context;
    // Where no operation has the name that is asked for, nobody has looked at the variables either.
    if (!access || !getOperationAST(document, operationName)) return run(context);

    let isOfRequest = ofRequests.get(document);
    if (isOfRequest === undefined) {
      isOfRequest = asksFor(document, "rateLimit");
      ofRequests.set(document, isOfRequest);
    }
    if (isOfRequest) return run(context);

    const { slug, name: organization } = access.key.organization;
    const name = JSON.stringify([slug, organization, queryHash, operationName, variables], keepInfinite);
    return answer(name, context.request, access, async (ownContext) => {
      const result = await run(ownContext);
      if (result.errors || !result.data) return result;
      const data: SerializedData = { [JSON_TEXT]: JSON.stringify(result.data) };
      return { data: data as unknown as Record<string, unknown> };
    });
  };
}

/** Of variables with more than 50 errors graphql says so at the end, by an error that others take for the server's own. */
function nameExcess(result: ExecutionResult): ExecutionResult {
  const last = result.errors?.at(-1);
  if (result.data !== undefined || !last?.message.startsWith("Too many errors processing variables")) {
    return result;
  }
  const error = new GraphQLError("Too many errors in the variables.", {
    extensions: { code: "BAD_USER_INPUT" },
  });
  return { errors: [...(result.errors?.slice(0, -1) ?? []), error] };
}

/** Keeps numbers too large for a float, such as 1e400, from being written as null, which is another answer's name. */
function keepInfinite(_name: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? { infinite: value > 0 } : value;
}

function asksFor(document: DocumentNode, field: string): boolean {
  let asks = false;
  visit(document, {
    [Kind.FIELD]: ({ name }) => {
      asks ||= name.value === field;
    },
  });
  return asks;
}

function readText(data: ExecutionResult["data"]): string | undefined {
  return (data as unknown as SerializedData | null | undefined)?.[JSON_TEXT];
}

/** A result as JSON; `data` that was serialized before is taken as it is. */
export function stringifyResult(result: FormattedExecutionResult): string {
  const { data, ...rest } = result;
  const text = readText(data);
  if (text === undefined) return JSON.stringify(result);
  const others = JSON.stringify(rest);
  return others === "{}" ? `{"data":${text}}` : `{"data":${text},${others.slice(1)}`;
}
