import { unwrapResolverError } from "@apollo/server/errors";
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  specifiedRules,
  validate,
} from "graphql";
import type { Admission, Admit } from "../../access/admission.js";
import type { OpenContext } from "../../access/context.js";
import { isObject } from "../../domain/is-object.js";
import { AppError } from "../../errors.js";
import { sendChunks } from "../../http/answer/envelope.js";
import { EVENT_STREAM_HEADERS } from "../../http/answer/event-stream.js";
import { rateLimitHeaders } from "../../http/answer/headers.js";
import { answersOptions, type IncomingCall } from "../../http/incoming-call.js";
import type { RequestInfo } from "../../http/request-info.js";
import {
  limitSubscriptions,
  QUERY_LIMITS,
  requireAffordable,
  requireShallow,
} from "../../limits/cost/query-limits.js";
import { createErrorFormat } from "./errors.js";
import { readOperation } from "./http.js";
import { MAX_NAME_LENGTH } from "./plugins.js";
import { takeTurnFor } from "./scheduler.js";
import type { ServeGraphql } from "./serve.js";
import { createTrust, type TrustedDocuments } from "./trusted-documents.js";

/** Opens the source of the field `Subscription.events`. A batch without events is a keep-alive. */
export type OpenSource = (
  incomingCall: IncomingCall,
  admission: Admission,
  args: { readonly after?: string; readonly types?: readonly string[] },
) => Promise<AsyncIterable<{ readonly events: readonly unknown[] }>>;

export interface StreamOptions {
  readonly schema: GraphQLSchema;
  readonly admit: Admit;
  readonly openContext: OpenContext;
  readonly introspection: boolean;
  readonly trusted: TrustedDocuments;
  readonly onlyTrusted: boolean;
  readonly openSource: OpenSource;
}

const METHODS = ["POST", "OPTIONS"];

/**
 * Creates the function that answers a subscription in GraphQL over SSE (distinct connections mode): one `next` per
 * event, and `complete` at the end. Failures before the stream starts have an HTTP status.
 */
export function createServeStream(options: StreamOptions): ServeGraphql {
  const { schema, admit, openContext, introspection, openSource } = options;
  const requireTrusted = createTrust(options.trusted, options.onlyTrusted);
  const show = createErrorFormat({ suggests: introspection });
  const format = (error: GraphQLError) => show(error.toJSON(), error);
  /** Creates the error for a fault that graphql found in a request. Without a code, its message would be masked. */
  const refuse = (code: "BAD_REQUEST" | "BAD_USER_INPUT", { message }: GraphQLError) =>
    new AppError(code, format(new GraphQLError(message, { extensions: { code } })).message);

  /** Parses and validates a document. Throws BAD_REQUEST. */
  async function readDocument(request: RequestInfo, text: string): Promise<DocumentNode> {
    await takeTurnFor(request, text);
    try {
      const document = parse(text, { maxTokens: QUERY_LIMITS.tokens });
      const [error] = validate(schema, document, [...specifiedRules, limitSubscriptions], { maxErrors: 1 });
      if (!error) return document;
      throw error;
    } catch (error) {
      throw error instanceof GraphQLError ? refuse("BAD_REQUEST", error) : error;
    }
  }

  return async (incomingCall) => {
    const { request, incoming, response, headers } = incomingCall;
    if (answersOptions(incomingCall, METHODS)) return;
    const operation = await readOperation(incomingCall);
    // The server refused the request while its body was arriving.
    if (response.headersSent) return;
    requireTrusted(operation);
    const admission = await admit(request, incoming);
    const limits = rateLimitHeaders(await admission.rateLimit, request.now);
    const { query, variables, operationName } = readBody(operation.body);
    const document = await readDocument(request, query);
    const definition = getOperationAST(document, operationName);
    if (!definition) {
      throw new AppError("BAD_REQUEST", "operationName: expected the name of an operation in the query.");
    }
    requireShallow(variables);
    const measured = { schema, document, operation: definition, variables };
    request.record.operation = definition.name?.value.slice(0, MAX_NAME_LENGTH);
    request.record.cost = requireAffordable(measured, admission.principal.tier);
    const args: ExecutionArgs = {
      schema,
      document,
      contextValue: openContext(request, admission),
      variableValues: variables,
      operationName: operationName ?? null,
    };
    const source = await createSourceEventStream({
      ...args,
      subscribeFieldResolver: (_source, given) => openSource(incomingCall, admission, given),
    });
    if (!(Symbol.asyncIterator in source)) {
      const [error] = source.errors ?? [];
      const cause = unwrapResolverError(error);
      throw error && cause instanceof GraphQLError ? refuse("BAD_USER_INPUT", error) : cause;
    }
    const batches = source as AsyncIterable<{ readonly events: readonly unknown[] }>;
    await sendChunks(response, [headers, limits, EVENT_STREAM_HEADERS], writeResults(args, batches));
  };

  async function* writeResults(
    args: ExecutionArgs,
    batches: AsyncIterable<{ readonly events: readonly unknown[] }>,
  ) {
    for await (const { events } of batches) {
      if (events.length === 0) yield ":\n\n";
      for (const event of events) {
        const { errors, ...result } = await execute({ ...args, rootValue: { events: event } });
        const shown = { ...result, ...(errors && { errors: errors.map(format) }) };
        yield `event: next\ndata: ${JSON.stringify(shown)}\n\n`;
      }
    }
    yield "event: complete\ndata:\n\n";
  }
}

/** Reads the body of a GraphQL request over HTTP. Throws BAD_REQUEST. */
function readBody(body: unknown) {
  const { query, variables, operationName } = isObject(body) ? body : {};
  const refuse = (name: string, expected: string) =>
    new AppError("BAD_REQUEST", `${name}: expected ${expected} in a JSON body.`);
  if (typeof query !== "string") throw refuse("query", "the text of a subscription");
  if (variables != null && !isObject(variables)) throw refuse("variables", "an object");
  if (operationName != null && typeof operationName !== "string") throw refuse("operationName", "a string");
  return { query, variables: variables ?? {}, operationName };
}
