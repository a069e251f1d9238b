import { ApolloServer, type ApolloServerOptionsWithGateway } from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import { type DocumentNode, type GraphQLSchema, parse, type ValidationRule } from "graphql";
import type { Admit } from "../../access/admission.js";
import type { Answer } from "../../access/answers.js";
import type { Context, OpenContext } from "../../access/context.js";
import { limitTime } from "../../data/database/time-limit.js";
import { notAllowed, toAppError } from "../../http/failure.js";
import { rateLimitHeaders } from "../../http/headers.js";
import type { Arrival } from "../../http/server.js";
import type { Logger } from "../../log.js";
import { createErrorFormat, toGraphqlError } from "./errors.js";
import {
  createExecutor,
  type ExecutableOperation,
  type OperationAnswer,
  stringifyResult,
} from "./executor.js";
import { partOf, readOperation, sendAnswer } from "./http.js";
import { limitCost, type RequireAffordable, tellFailures } from "./plugins.js";
import { createTurns } from "./scheduler.js";
import { createTrust, type TrustedDocuments } from "./trusted-documents.js";

/** What keeps one operation from being too much. */
export interface QueryLimits {
  readonly tokens: number;
  readonly rule: ValidationRule;
  /** Whether the operation that is meant only introspects: then it is free, and needs no key. */
  readonly isExempt: (document: DocumentNode, operationName: string | null) => boolean;
  readonly requireAffordable: RequireAffordable;
}

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly queryLimits: QueryLimits;
  readonly introspection: boolean;
  readonly admit: Admit;
  readonly openContext: OpenContext;
  readonly answer: Answer<OperationAnswer>;
  readonly trusted: TrustedDocuments;
  /** Whether texts other than those of trusted documents are refused. */
  readonly onlyTrusted: boolean;
  readonly log: Logger;
}

export interface GraphqlServer {
  /** Answers a request, or rejects with what is wrong with it. */
  serve(arrival: Arrival): Promise<void>;
  stop(): Promise<void>;
}

/** Starts Apollo Server with every default set on purpose. */
export async function startGraphqlServer(options: GraphqlOptions): Promise<GraphqlServer> {
  const { schema, queryLimits, introspection, log } = options;
  const turn = createTurns();
  // Not of the request's time for the database, of which at most its key's lookup has passed.
  const inTurn = (share: number) => limitTime(LONGEST_WAIT_MS)(() => turn(share));
  const server = new ApolloServer<Context>({
    gateway: executeWith(schema, createExecutor({ schema, answer: options.answer, turn: () => inTurn(1) })),
    stringifyResult,
    introspection,
    nodeEnv: "production",
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: !introspection,
    allowBatchedHttpRequests: false,
    // Headers that a page of another site cannot send without a preflight.
    csrfPrevention: { requestHeaders: ["x-api-key", "apollo-require-preflight", "x-apollo-operation-name"] },
    persistedQueries: false,
    parseOptions: { maxTokens: queryLimits.tokens },
    validationRules: [queryLimits.rule],
    stopOnTerminationSignals: false,
    formatError: createErrorFormat({ suggests: introspection }),
    logger: log,
    plugins: [
      tellFailures,
      limitCost(queryLimits.requireAffordable),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await server.start();
  const requireTrusted = createTrust(options.trusted, options.onlyTrusted);
  return {
    async serve(arrival) {
      const { request, incoming, response, headers } = arrival;
      const operation = await readOperation(incoming, response);
      // It was refused while its body was on its way.
      if (response.headersSent) return;
      requireTrusted(operation);
      const { method } = operation;
      const query = partOf(operation, "query");
      if (method === "OPTIONS")
        return void response.writeHead(204, { ...headers, Allow: METHODS.join(", ") }).end();
      requireMethod(method);
      const text = typeof query === "string" ? query : "";
      const isExempt = isFree(options, text, partOf(operation, "operationName"));
      // Apollo Server would take a GET without a key for the work of another site's page.
      if (method === "GET" && !incoming.headers["x-api-key"] && query !== null && !isExempt) {
        await options.admit(request, incoming);
      }
      let limits: Readonly<Record<string, string>> = {};
      const open = async (): Promise<Context> => {
        if (isExempt) return { request, access: null, wholeLists: false };
        const admission = await options.admit(request, incoming);
        limits = rateLimitHeaders(await admission.rateLimit, request.now);
        return options.openContext(request, admission);
      };
      const answer = await server.executeHTTPGraphQLRequest({
        httpGraphQLRequest: operation,
        context: async () => {
          try {
            const opened = await open();
            if (text.length > LONG_TEXT) await inTurn((text.length / FULL_TEXT) ** 2);
            return opened;
          } catch (error) {
            throw toGraphqlError(toAppError(error, request.log));
          }
        },
      });
      sendAnswer(response, answer, [headers, limits]);
    },
    stop: () => server.stop(),
  };
}

/** Apollo Server's way to leave the execution, and nothing else, to somebody else. */
function executeWith(
  schema: GraphQLSchema,
  run: ReturnType<typeof createExecutor>,
): ApolloServerOptionsWithGateway<Context>["gateway"] {
  return {
    onSchemaLoadOrUpdate(loaded) {
      loaded({ apiSchema: schema, coreSupergraphSdl: "" });
      return () => undefined;
    },
    load: async () => ({
      executor: (given) => {
        const operation = given as unknown as ExecutableOperation;
        return run(operation).catch((error) => {
          throw toGraphqlError(toAppError(error, operation.context.request.log));
        });
      },
    }),
    stop: async () => undefined,
  };
}

const METHODS = ["GET", "POST", "OPTIONS"];

/** Refuses, before the key is looked at, the methods that Apollo Server would refuse after. */
function requireMethod(method: string): void {
  if (method === "GET" || method === "POST") return;
  throw notAllowed(method, METHODS);
}

/** For a turn. */
const LONGEST_WAIT_MS = 5_000;
/** Characters of a text that is worth waiting for a turn with. */
const LONG_TEXT = 1_000;
/** And of one that fills a turn: validating it, for which each field is compared with each other, takes some 30 ms. */
const FULL_TEXT = 4_000;

/** Whether a request only introspects. A text that cannot be parsed is not free, and is refused after the key's check. */
function isFree(
  { introspection, queryLimits }: GraphqlOptions,
  text: string,
  operationName: unknown,
): boolean {
  if (!introspection || !text.includes("__")) return false;
  try {
    const document = parse(text, { maxTokens: queryLimits.tokens, noLocation: true });
    return queryLimits.isExempt(document, typeof operationName === "string" ? operationName : null);
  } catch {
    return false;
  }
}
