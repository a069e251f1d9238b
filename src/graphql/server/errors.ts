import { HeaderMap } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import { GraphQLError, type GraphQLFormattedError, isValueNode } from "graphql";
import { hideKeys } from "../../domain/key-text.js";
import { AppError } from "../../errors.js";
import { INTERNAL_ERROR_MESSAGE } from "../../http/failure.js";

/** An AppError as GraphQL's executor and Apollo Server take it, with the status and headers of the answer. */
export function toGraphqlError({ message, code, status, headers, extensions }: AppError): GraphQLError {
  const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return new GraphQLError(message, {
    extensions: { ...extensions, code, http: { status, headers: new HeaderMap(lowerCased) } },
  });
}

/** Codes of Apollo Server for what is wrong with a request; their messages are meant for clients. */
const CLIENT_CODES = new Set([
  "BAD_REQUEST",
  "BAD_USER_INPUT",
  "GRAPHQL_PARSE_FAILED",
  "GRAPHQL_VALIDATION_FAILED",
  "OPERATION_RESOLUTION_FAILURE",
  // Clients that send a query's hash first wait for this one, and then send the query.
  "PERSISTED_QUERY_NOT_SUPPORTED",
]);

/**
 * Makes what shows of an error what a client may read, and masks the rest; the cause is in the log under the request id.
 * Names of the schema are suggested only where clients may ask for all of it.
 */
export function createErrorFormat({ suggests }: { suggests: boolean }) {
  const show = (formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError => {
    const cause = unwrapResolverError(thrown);
    if (cause instanceof AppError) {
      return { ...formatted, extensions: { ...cause.extensions, code: cause.code } };
    }
    if (!isForClients(cause)) {
      return { ...formatted, message: INTERNAL_ERROR_MESSAGE, extensions: { code: "INTERNAL_ERROR" } };
    }
    const shown = { ...formatted, ...inOurWords(formatted, cause) };
    // Apollo Server leaves out those of validation alone, and not those of variables.
    return suggests ? shown : { ...shown, message: shown.message.replace(SUGGESTION, "") };
  };
  return (formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError => {
    const shown = show(formatted, thrown);
    return { ...shown, message: hideKeys(shown.message) };
  };
}

const SUGGESTION = / Did you mean .+\?$/s;

/** What Apollo Server would say to the operator, or under a code of its own. */
function inOurWords(
  { message, extensions = {} }: GraphQLFormattedError,
  cause: unknown,
): Partial<GraphQLFormattedError> {
  if (isArgumentCoercionError(cause)) return { extensions: { code: "BAD_USER_INPUT" } };
  // graphql's own limit, on what it takes to compare the fields that stand beside each other.
  if (message === "Validation aborted.") {
    return {
      message: "The operation has too many fields in one place to be validated: ask for each of them once.",
      extensions: { code: "BAD_USER_INPUT" },
    };
  }
  // A limit that a validation rule found: the same code as that of the cost.
  if ("measure" in extensions) return { extensions: { ...extensions, code: "BAD_USER_INPUT" } };
  if (extensions["validationErrorCode"] === "INTROSPECTION_DISABLED") {
    return { message: "Introspection is disabled.", extensions: { code: extensions["code"] } };
  }
  return {};
}

/** Codes that createContext has already turned into GraphQL errors. */
const OWN_CODES = new Set(["INVALID_KEY", "RATE_LIMIT_EXCEEDED", "INTERNAL_ERROR"]);

/** Whether an error says what is wrong with a request; GraphQL's own failures, of a value it cannot serialize, do not. */
export function isForClients(error: unknown): boolean {
  if (!(error instanceof GraphQLError)) return false;
  if (isArgumentCoercionError(error)) return true;
  const code = String(error.extensions["code"]);
  return CLIENT_CODES.has(code) || OWN_CODES.has(code);
}

/** Whether an argument was given a variable whose value it does not take, such as null, which validation cannot know. */
function isArgumentCoercionError(error: unknown): boolean {
  return (
    error instanceof GraphQLError && error.nodes?.some(isValueNode) === true && !error.extensions["code"]
  );
}
