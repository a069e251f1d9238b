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
import { LRUCache } from "lru-cache";
import type { Answer } from "../../access/answers.js";
import type { Context } from "../../access/context.js";
import { sizeOfText } from "../../data/cache/entries.js";
import { AppError } from "../../errors.js";

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

/** Bytes that an answer's JSON takes in memory. */
export const sizeOfAnswer = ({ data }: OperationAnswer): number => sizeOfText(readText(data) ?? "");

/** Whether an answer may be remembered: errors are of the moment. */
export const isComplete = ({ errors }: OperationAnswer): boolean => errors === undefined;

/** Most bytes of an answer's JSON. */
const MOST_BYTES = 10_000_000;
/** Most bytes of introspection that are remembered. */
const MOST_INTROSPECTION = 8 << 20;

export interface ExecutorOptions {
  readonly schema: GraphQLSchema;
  readonly answer: Answer<OperationAnswer>;
  /** Resolves when it is an operation's turn to hold the process up. */
  readonly turn: () => Promise<void>;
}

/**
 * Makes the function that executes an operation, or answers it from memory. What shows the request itself, such as what
 * is left of its budget, is executed every time. Throws BAD_USER_INPUT if the answer is larger than 10 MB.
 */
export function createExecutor({ schema, answer, turn }: ExecutorOptions) {
  const ofRequests = new WeakMap<DocumentNode, boolean>();
  const introspection = new LRUCache<string, OperationAnswer>({
    maxSize: MOST_INTROSPECTION,
    sizeCalculation: (value, name) => sizeOfAnswer(value) + sizeOfText(name),
  });

  return async (operation: ExecutableOperation): Promise<ExecutionResult> => {
    const { document, queryHash, request, context } = operation;
    const { operationName, variables } = request;
    const run = async (contextValue: Context): Promise<OperationAnswer> =>
      serialize(
        nameExcess(
          await execute({ schema, document, contextValue, variableValues: variables, operationName }),
        ),
      );
    const { access } = context;
    // Where no operation has the name that is asked for, nobody has looked at the variables either.
    if (!getOperationAST(document, operationName)) return run(context);
    if (!access) {
      const name = JSON.stringify([queryHash, operationName, variables]);
      const remembered = introspection.get(name);
      if (remembered) return remembered;
      await turn();
      const result = await run(context);
      if (isComplete(result)) introspection.set(name, result);
      return result;
    }

    let isOfRequest = ofRequests.get(document);
    if (isOfRequest === undefined) {
      isOfRequest = asksFor(document, "rateLimit");
      ofRequests.set(document, isOfRequest);
    }
    if (isOfRequest) return run(context);

    const { slug, name: organization } = access.principal.organization;
    const name = JSON.stringify([slug, organization, queryHash, operationName, variables], keepInfinite);
    return answer(name, context.request, access, run);
  };
}

/** A result with its `data` as JSON. Throws BAD_USER_INPUT if that is too large. */
function serialize({ data, ...rest }: ExecutionResult): OperationAnswer {
  if (!data) return data === undefined ? rest : { ...rest, data };
  const text = JSON.stringify(data);
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_BYTES) {
    throw new AppError(
      "BAD_USER_INPUT",
      `The answer has ${bytes} bytes; at most ${MOST_BYTES} are allowed. Ask for fewer items or fields at once.`,
      { extensions: { measure: "bytes", limit: MOST_BYTES, estimate: bytes } },
    );
  }
  const serialized: SerializedData = { [JSON_TEXT]: text };
  return { ...rest, data: serialized as unknown as Record<string, unknown> };
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
