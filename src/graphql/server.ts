import { ApolloServer, type ApolloServerPlugin, HeaderMap } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import { ApolloServerPluginLandingPageLocalDefault } from "@apollo/server/plugin/landingPage/default";
import { expressMiddleware } from "@as-integrations/express5";
import { type Request, type RequestHandler, type Response, Router } from "express";
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  parse,
  type ValidationRule,
} from "graphql";
import type { Admit, Context, RequestInfo } from "../context.js";
import { AppError } from "../errors.js";
import { INTERNAL_ERROR_MESSAGE, toAppError } from "../failure.js";
import type { Logger } from "../log.js";

/** What keeps one operation from being too much. */
export interface QueryLimits {
  readonly tokens: number;
  readonly rule: ValidationRule;
  /** Whether a document only introspects: then it is free, and needs no key. */
  readonly isExempt: (document: DocumentNode) => boolean;
}

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly queryLimits: QueryLimits;
  readonly introspection: boolean;
  readonly sandbox: boolean;
  readonly admit: Admit;
  readonly requestInfo: (response: Response) => RequestInfo;
  readonly log: Logger;
}

export interface GraphqlServer {
  readonly handler: RequestHandler;
  stop(): Promise<void>;
}

/** Starts Apollo Server with every default set on purpose. The handler expects a parsed JSON body. */
export async function startGraphqlServer(options: GraphqlOptions): Promise<GraphqlServer> {
  const { schema, queryLimits, introspection, sandbox, log } = options;
  const server = new ApolloServer<Context>({
    schema,
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
    formatError,
    logger: log,
    plugins: [
      logFailures,
      sandbox ? sandboxPage() : ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await server.start();
  return {
    handler: Router().use(
      requireMethod,
      expressMiddleware(server, { context: ({ req, res }) => createContext(options, req, res) }),
    ),
    stop: () => server.stop(),
  };
}

const METHODS = "GET, POST, OPTIONS";

/** Refuses, before the key is looked at, the methods that Apollo Server would refuse after. */
const requireMethod: RequestHandler = ({ method }, response, next) => {
  if (method === "GET" || method === "POST") return next();
  if (method === "OPTIONS") return void response.status(204).set("Allow", METHODS).end();
  throw new AppError("METHOD_NOT_ALLOWED", `${method} is not allowed here. Use GET or POST.`, {
    headers: { Allow: METHODS },
  });
};

async function createContext(
  { introspection, queryLimits, admit, requestInfo }: GraphqlOptions,
  request: Request,
  response: Response,
): Promise<Context> {
  const info = requestInfo(response);
  const text: unknown = request.method === "GET" ? request.query["query"] : request.body?.query;
  if (introspection && typeof text === "string" && isExempt(text, queryLimits))
    return { request: info, access: null };
  try {
    return await admit(info, request, response);
  } catch (error) {
    throw toGraphqlError(toAppError(error, info.log));
  }
}

/** A text that cannot be parsed is not exempt; what is wrong with it is said after the key was looked at. */
function isExempt(text: string, { isExempt, tokens }: QueryLimits): boolean {
  if (!text.includes("__")) return false;
  try {
    return isExempt(parse(text, { maxTokens: tokens, noLocation: true }));
  } catch {
    return false;
  }
}

function toGraphqlError({ message, code, status, headers, extensions }: AppError): GraphQLError {
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

/** Shows what a client may read, and masks the rest; the cause is in the log under the request id. */
function formatError(formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError {
  const cause = unwrapResolverError(thrown);
  if (cause instanceof AppError) {
    return { ...formatted, extensions: { ...cause.extensions, code: cause.code } };
  }
  if (isForClients(cause)) return formatted;
  return { ...formatted, message: INTERNAL_ERROR_MESSAGE, extensions: { code: "INTERNAL_ERROR" } };
}

/** Codes that createContext has already turned into GraphQL errors. */
const OWN_CODES = { INVALID_KEY: true, RATE_LIMIT_EXCEEDED: true, INTERNAL_ERROR: true };

/** Whether an error says what is wrong with a request; GraphQL's own failures, of a value it cannot serialize, do not. */
function isForClients(error: unknown): boolean {
  if (!(error instanceof GraphQLError)) return false;
  const code = String(error.extensions["code"]);
  return CLIENT_CODES.has(code) || code in OWN_CODES;
}

/** formatError knows no request, so the failures of an operation are logged here. */
const logFailures: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, contextValue }) {
        for (const error of errors) {
          const cause = unwrapResolverError(error);
          if (!isForClients(cause)) toAppError(cause, contextValue.request.log);
        }
      },
    };
  },
};

const FIRST_OPERATION = `# Put a key into the X-API-Key header below, then press the run button.
query Overview {
  organization { name }
  emissions { from to totalCo2eTonnes byScope { scope co2eTonnes } }
  compliance { upcomingDeadlines(first: 3) { dueDate framework title } }
  credits { availableCredits byType { creditType quantity } }
  market { prices { creditType exchange price currency asOf } }
  rateLimit { remaining resetAt }
}
`;

const sandboxPage = () =>
  ApolloServerPluginLandingPageLocalDefault({
    embed: { runTelemetry: false, endpointIsEditable: false },
    includeCookies: false,
    footer: false,
    document: FIRST_OPERATION,
    headers: { "X-API-Key": "" },
  });
