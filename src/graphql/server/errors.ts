import { HeaderMap } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import { GraphQLError, type GraphQLFormattedError, isValueNode } from "graphql";
import { maskSecrets } from "../../domain/keys/secrets.js";
import { AppError, cutMessage, ERROR_STATUS } from "../../errors.js";
import { INTERNAL_ERROR_MESSAGE } from "../../http/answer/failure.js";

/** Converts an AppError for GraphQL's executor and Apollo Server, with the status and headers of the response. */
export function toGraphqlError({ message, code, status, headers, extensions }: AppError): GraphQLError {
  const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return new GraphQLError(message, {
    extensions: { ...extensions, code, http: { status, headers: new HeaderMap(lowerCased) } },
  });
}

/** Apollo Server's codes for bad requests. Clients may read their messages. */
const CLIENT_CODES = new Set([
  "BAD_REQUEST",
  "BAD_USER_INPUT",
  "GRAPHQL_PARSE_FAILED",
  "GRAPHQL_VALIDATION_FAILED",
  "OPERATION_RESOLUTION_FAILURE",
  // Clients that send only a query's hash send the query itself when they get this error.
  "PERSISTED_QUERY_NOT_SUPPORTED",
]);

/**
 * Creates Apollo Server's `formatError`. It shows errors that a client may read, masks all others as INTERNAL_ERROR,
 * and logs nothing. Messages suggest names from the schema only with `suggests`.
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
    const shown = { ...formatted, ...rewordError(formatted, cause) };
    // Apollo Server removes the suggestions of validation, but not those about variables.
    return suggests ? shown : { ...shown, message: shown.message.replace(SUGGESTION, "") };
  };
  return (formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError => {
    // graphql quotes values in full.
    const shown = show({ ...formatted, message: cutMessage(formatted.message) }, thrown);
    return { ...shown, message: maskSecrets(shown.message) };
  };
}

const SUGGESTION = / Did you mean .+\?$/s;

/** Replaces messages that address the operator, and codes that only Apollo Server uses. */
function rewordError(
  { message, extensions = {} }: GraphQLFormattedError,
  cause: unknown,
): Partial<GraphQLFormattedError> {
  if (isArgumentCoercionError(cause)) return { extensions: { code: "BAD_USER_INPUT" } };
  // graphql limits the number of fields it compares with each other.
  if (message === "Validation aborted.") {
    return {
      message: "The operation repeats too many fields to be validated. Select each field once.",
      extensions: { code: "BAD_USER_INPUT" },
    };
  }
  // A limit enforced by a validation rule has the same code as the cost limit.
  if ("measure" in extensions) return { extensions: { ...extensions, code: "BAD_USER_INPUT" } };
  if (extensions["validationErrorCode"] === "INTROSPECTION_DISABLED") {
    return { message: "Introspection is disabled.", extensions: { code: extensions["code"] } };
  }
  return {};
}

/** Codes of AppErrors that `toGraphqlError` has already converted. */
const OWN_CODES: ReadonlySet<string> = new Set(Object.keys(ERROR_STATUS));

/** Returns true for a fault of the request and for a converted AppError, but not for a failure to serialize a value. */
export function isForClients(error: unknown): boolean {
  if (!(error instanceof GraphQLError)) return false;
  if (isArgumentCoercionError(error)) return true;
  const code = String(error.extensions["code"]);
  return CLIENT_CODES.has(code) || OWN_CODES.has(code);
}

/** Returns true if a variable's value, such as null, does not fit its argument. Validation cannot detect this. */
function isArgumentCoercionError(error: unknown): boolean {
  return (
    error instanceof GraphQLError && error.nodes?.some(isValueNode) === true && !error.extensions["code"]
  );
}
