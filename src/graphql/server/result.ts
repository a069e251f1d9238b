import {
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
} from "graphql";
import { sizeOfText } from "../../domain/texts/size-in-memory.js";
import { AppError, MOST_PROBLEMS } from "../../errors.js";

const JSON_TEXT = Symbol("JSON");

/** `data` that has been serialized. */
interface SerializedData {
  readonly [JSON_TEXT]: string;
}

/** The result of an operation, with `data` as JSON if there is any. */
export type OperationAnswer = ExecutionResult;

/** Bytes that an answer takes in memory. */
export const sizeOfAnswer = ({ data }: OperationAnswer): number => sizeOfText(readText(data) ?? "");

/** Whether an answer may be cached. Errors may be gone a moment later. */
export const isComplete = ({ errors }: OperationAnswer): boolean => errors === undefined;

/** The most bytes that an answer's JSON may have. */
const MOST_BYTES = 10_000_000;
/** A result with its `data` as JSON. Throws BAD_USER_INPUT if that is larger than 10 MB. */
export function serialize({ data, ...rest }: ExecutionResult): OperationAnswer {
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

/**
 * After MOST_PROBLEMS errors in the variables graphql adds one that says so. It looks like a failure of the server, so this gives it
 * the code of bad input.
 */
export function nameExcess(result: ExecutionResult): ExecutionResult {
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

/** A result as JSON, with its first errors. `data` that was serialized before is not serialized again. */
export function stringifyResult(whole: FormattedExecutionResult): string {
  const result = whole.errors ? { ...whole, errors: nameSome(whole.errors) } : whole;
  const { data, ...rest } = result;
  const text = readText(data);
  if (text === undefined) return JSON.stringify(result);
  const others = JSON.stringify(rest);
  return others === "{}" ? `{"data":${text}}` : `{"data":${text},${others.slice(1)}`;
}

/**
 * Returns the first MOST_PROBLEMS errors. If there are more, the last error has their number, and the code of the first of
 * them.
 */
function nameSome(errors: readonly GraphQLFormattedError[]): readonly GraphQLFormattedError[] {
  const others = errors.slice(MOST_PROBLEMS);
  const [first] = others;
  // One that is left may be what the last one would say.
  if (first === undefined || others.length === 1) return errors;
  const last = {
    message: `and ${others.length} more errors`,
    extensions: { code: first.extensions?.["code"] },
  };
  return [...errors.slice(0, MOST_PROBLEMS), last];
}
