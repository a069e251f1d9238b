import {
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
} from "graphql";
import { sizeOfText } from "../../domain/texts/size-in-memory.js";
import { AppError, MAX_PROBLEMS } from "../../errors.js";

const JSON_TEXT = Symbol("JSON");

/** Serialized `data`. */
interface SerializedData {
  readonly [JSON_TEXT]: string;
}

/** The result of an operation, with `data` as JSON if present. */
export type OperationAnswer = ExecutionResult;

/** Returns the size of an answer in memory, in bytes. */
export const sizeOfAnswer = ({ data }: OperationAnswer): number => sizeOfText(readText(data) ?? "");

/** Returns true if the cache may store an answer. Errors may be temporary. */
export const isComplete = ({ errors }: OperationAnswer): boolean => errors === undefined;

/** Maximum size of an answer's JSON, in bytes. */
const MAX_BYTES = 10_000_000;

/** Returns a result with its `data` as JSON. Throws BAD_USER_INPUT if the JSON is larger than 10 MB. */
export function serialize({ data, ...rest }: ExecutionResult): OperationAnswer {
  if (!data) return data === undefined ? rest : { ...rest, data };
  const text = JSON.stringify(data);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) {
    throw new AppError(
      "BAD_USER_INPUT",
      `The answer has ${bytes} bytes; at most ${MAX_BYTES} are allowed. Request fewer items or fields at once.`,
      { extensions: { measure: "bytes", limit: MAX_BYTES, estimate: bytes } },
    );
  }
  const serialized: SerializedData = { [JSON_TEXT]: text };
  return { ...rest, data: serialized as unknown as Record<string, unknown> };
}

/**
 * Rewords the error that graphql adds after MAX_PROBLEMS errors about variables, and sets the code for bad input.
 * Without the code, it would look like a server failure.
 */
export function recodeExcessError(result: ExecutionResult): ExecutionResult {
  const last = result.errors?.at(-1);
  if (result.data !== undefined || !last?.message.startsWith("Too many errors processing variables")) {
    return result;
  }
  const error = new GraphQLError("Too many errors in the variables.", {
    extensions: { code: "BAD_USER_INPUT" },
  });
  return { errors: [...(result.errors?.slice(0, -1) ?? []), error] };
}

function readText(data: ExecutionResult["data"]): string | undefined {
  return (data as unknown as SerializedData | null | undefined)?.[JSON_TEXT];
}

/** Formats a result as JSON, with at most MAX_PROBLEMS + 1 errors. Does not serialize `data` again. */
export function stringifyResult(whole: FormattedExecutionResult): string {
  const result = whole.errors ? { ...whole, errors: limitErrors(whole.errors) } : whole;
  const { data, ...rest } = result;
  const text = readText(data);
  if (text === undefined) return JSON.stringify(result);
  const others = JSON.stringify(rest);
  return others === "{}" ? `{"data":${text}}` : `{"data":${text},${others.slice(1)}`;
}

/**
 * Returns up to MAX_PROBLEMS + 1 errors. If there are more, the last one counts those after the first MAX_PROBLEMS, and
 * has the code of the first of them.
 */
function limitErrors(errors: readonly GraphQLFormattedError[]): readonly GraphQLFormattedError[] {
  const others = errors.slice(MAX_PROBLEMS);
  const [first] = others;
  // Showing one further error takes no more room than counting it.
  if (first === undefined || others.length === 1) return errors;
  const last = {
    message: `and ${others.length} more errors`,
    extensions: { code: first.extensions?.["code"] },
  };
  return [...errors.slice(0, MAX_PROBLEMS), last];
}
