import type { ApolloServer } from "@apollo/server";
import { parse } from "graphql";
import type { Admit } from "../../access/admission.js";
import type { Context } from "../../access/context.js";
import { findCredential } from "../../access/credentials.js";
import { toAppError } from "../../http/answer/failure.js";
import { rateLimitHeaders } from "../../http/answer/headers.js";
import { sendReplay } from "../../http/answer/replay.js";
import { idempotencyKeysOf } from "../../http/body/digest.js";
import { answersOptions, type IncomingCall } from "../../http/incoming-call.js";
import type { RequestInfo } from "../../http/request-info.js";
import { isIntrospectionOnly, QUERY_LIMITS } from "../../limits/cost/query-limits.js";
import { toGraphqlError } from "./errors.js";
import { partOf, readOperation, sendAnswer } from "./http.js";
import { findMutation, type MutationDocument } from "./mutation-of.js";
import { type RepeatOptions, repeatMutation } from "./repeat.js";
import { takeTurnFor } from "./scheduler.js";
import { createTrust, type TrustedDocuments } from "./trusted-documents.js";

export interface ServeOptions extends RepeatOptions {
  readonly server: ApolloServer<Context>;
  readonly introspection: boolean;
  readonly admit: Admit;
  readonly trusted: TrustedDocuments;
  /** Counts an introspection without credentials. Rejects with RATE_LIMIT_EXCEEDED. */
  readonly countIntrospection: (request: RequestInfo) => Promise<void>;
  /** True if the server accepts only trusted documents. */
  readonly onlyTrusted: boolean;
}

const METHODS = ["GET", "POST", "OPTIONS"];

/** Answers a GraphQL request. Rejects with an error that describes the fault. */
export type ServeGraphql = (incomingCall: IncomingCall) => Promise<void>;

/** Creates the function that reads a request, authenticates it, and sends Apollo Server's response. */
export function createServe(options: ServeOptions): ServeGraphql {
  const { server, introspection, admit, openContext, countIntrospection } = options;
  const requireTrusted = createTrust(options.trusted, options.onlyTrusted);

  return async (incomingCall) => {
    const { request, incoming, response, headers } = incomingCall;
    const operation = await readOperation(incomingCall);
    // The server refused the request while its body was arriving.
    if (response.headersSent) return;
    requireTrusted(operation);
    // Apollo Server would refuse other methods only after the request counts against the limit.
    if (answersOptions(incomingCall, METHODS)) return;
    const { method } = operation;
    const query = partOf(operation, "query");
    const text = typeof query === "string" ? query : "";
    const isFree = introspection && onlyIntrospects(text, partOf(operation, "operationName"));
    // Otherwise Apollo Server's CSRF protection would refuse the GET without mentioning the missing credential.
    if (method === "GET" && findCredential(incoming) === null && query !== null && !isFree) {
      await admit(request, incoming);
    }
    let limits: Readonly<Record<string, string>> = {};
    const admitNow = async () => {
      const admission = await admit(request, incoming);
      limits = rateLimitHeaders(await admission.rateLimit, request.now);
      return admission;
    };
    const open = async (): Promise<Context> => {
      if (isFree) {
        await countIntrospection(request);
        return { request, access: null, wholeLists: false };
      }
      return openContext(request, await admitNow());
    };
    const execute = (openNow: () => Promise<Context>) =>
      server.executeHTTPGraphQLRequest({
        httpGraphQLRequest: operation,
        context: async () => {
          try {
            const context = await openNow();
            await takeTurnFor(request, text);
            return context;
          } catch (error) {
            throw toGraphqlError(toAppError(error, request.log));
          }
        },
      });
    const hasKey = method === "POST" && idempotencyKeysOf(incoming) !== undefined;
    const mutation = hasKey ? findMutation(text, partOf(operation, "operationName")) : undefined;
    const repeat = async (found: MutationDocument) =>
      repeatMutation(options, found, incomingCall, await admitNow(), execute);
    const answer = mutation
      ? await repeat(mutation).catch((error) => execute(() => Promise.reject(error)))
      : await execute(open);
    if ("replay" in answer) return sendReplay(response, [headers, limits], answer.replay);
    // Only mutations return secrets, and every mutation contains the word.
    const isCompressible = !/\bmutation\b/.test(text);
    sendAnswer(response, answer, [headers, limits], isCompressible);
  };
}

/**
 * Returns true if the requested operation contains only introspection. False for a document that does not parse, which
 * is refused after the key has been checked.
 */
function onlyIntrospects(text: string, operationName: unknown): boolean {
  if (!text.includes("__")) return false;
  try {
    const document = parse(text, { maxTokens: QUERY_LIMITS.tokens, noLocation: true });
    return isIntrospectionOnly(document, typeof operationName === "string" ? operationName : null);
  } catch {
    return false;
  }
}
