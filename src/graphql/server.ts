import { ApolloServer, type ApolloServerOptionsWithGateway } from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import { expressMiddleware } from "@as-integrations/express5";
import { type Request, type RequestHandler, type Response, Router } from "express";
import { type DocumentNode, type GraphQLSchema, parse, type ValidationRule } from "graphql";
import {
  type Admission,
  type Admit,
  type Answer,
  type Context,
  type OpenContext,
  type RequestInfo,
  rateLimitHeaders,
} from "../context.js";
import { limitTime } from "../data/time-limit.js";
import { AppError } from "../errors.js";
import { toAppError } from "../failure.js";
import type { Logger } from "../log.js";
import { createErrorFormat, toGraphqlError } from "./errors.js";
import {
  createExecutor,
  type ExecutableOperation,
  type OperationAnswer,
  stringifyResult,
} from "./executor.js";
import { protectSandbox, sandboxPage } from "./explorer.js";
import { limitCost, type RequireAffordable, tellFailures } from "./plugins.js";
import { createTurns } from "./turns.js";

/** What keeps one operation from being too much. */
export interface QueryLimits {
  readonly tokens: number;
  readonly rule: ValidationRule;
  /** Whether a document only introspects: then it is free, and needs no key. */
  readonly isExempt: (document: DocumentNode) => boolean;
  readonly requireAffordable: RequireAffordable;
}

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly queryLimits: QueryLimits;
  readonly introspection: boolean;
  readonly sandbox: boolean;
  /** Shown in Sandbox, ready to use; null where there is none to show. */
  readonly demoKey: string | null;
  readonly admit: Admit;
  readonly openContext: OpenContext;
  readonly answer: Answer<OperationAnswer>;
  readonly requestInfo: (response: Response) => RequestInfo;
  readonly log: Logger;
}

export interface GraphqlServer {
  readonly handler: RequestHandler;
  stop(): Promise<void>;
}

/** Starts Apollo Server with every default set on purpose. The handler expects a parsed JSON body. */
export async function startGraphqlServer(options: GraphqlOptions): Promise<GraphqlServer> {
  const { schema, queryLimits, introspection, sandbox, demoKey, log } = options;
  const server = new ApolloServer<Context>({
    gateway: executeWith(schema, createExecutor(schema, options.answer)),
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
      sandbox ? sandboxPage(demoKey) : ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await server.start();
  const turn = createTurns();
  // Not of the request's time for the database, of which at most its key's lookup has passed.
  const inTurn = (share: number) =>
    limitTime(LONGEST_WAIT_MS)(() => turn(share)).catch((error) => {
      throw toGraphqlError(toAppError(error, log));
    });
  const context = async ({ req, res }: { req: Request; res: Response }) => {
    const opened = await createContext(options, req, res);
    const { length } = textOf(req);
    if (length > LONG_TEXT) await inTurn((length / FULL_TEXT) ** 2);
    return opened;
  };
  return {
    handler: Router().use(
      requireMethod,
      ...(sandbox ? [protectSandbox] : []),
      requireKeyOfGet(options),
      expressMiddleware(server, { context }),
    ),
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

const METHODS = "GET, POST, OPTIONS";

/** Refuses, before the key is looked at, the methods that Apollo Server would refuse after. */
const requireMethod: RequestHandler = ({ method }, response, next) => {
  if (method === "GET" || method === "POST") return next();
  if (method === "OPTIONS") return void response.status(204).set("Allow", METHODS).end();
  throw new AppError("METHOD_NOT_ALLOWED", `${method} is not allowed here. Use GET or POST.`, {
    headers: { Allow: METHODS },
  });
};

/** Says of a GET without a key that it lacks one; Apollo Server would take it for the work of another site's page. */
function requireKeyOfGet(options: GraphqlOptions): RequestHandler {
  return async (request, response, next) => {
    const isWithoutKey = request.method === "GET" && !request.get("x-api-key");
    if (isWithoutKey && request.query["query"] !== undefined && !isFree(options, request)) {
      await admitTo(options, request, response);
    }
    next();
  };
}

async function createContext(
  options: GraphqlOptions,
  request: Request,
  response: Response,
): Promise<Context> {
  const info = options.requestInfo(response);
  if (isFree(options, request)) return { request: info, access: null };
  try {
    return options.openContext(info, await admitTo(options, request, response));
  } catch (error) {
    throw toGraphqlError(toAppError(error, info.log));
  }
}

/** Lets a request in; the answer tells what is left of the key's budget. */
async function admitTo(
  { admit, requestInfo }: GraphqlOptions,
  request: Request,
  response: Response,
): Promise<Admission> {
  const info = requestInfo(response);
  const admission = await admit(info, request);
  const rateLimit = await admission.rateLimit;
  // Unless the request was refused meanwhile, as its body turned out to be none.
  if (!response.headersSent) response.set(rateLimitHeaders(rateLimit, info.now));
  return admission;
}

/** For a turn. */
const LONGEST_WAIT_MS = 5_000;
/** Characters of a text that is worth waiting for a turn with. */
const LONG_TEXT = 1_000;
/** And of one that fills a turn: validating it, for which each field is compared with each other, takes some 30 ms. */
const FULL_TEXT = 4_000;

function textOf(request: Request): string {
  const text: unknown = request.method === "GET" ? request.query["query"] : request.body?.query;
  return typeof text === "string" ? text : "";
}

/** Whether a request only introspects. A text that cannot be parsed is not free, and is refused after the key's check. */
function isFree({ introspection, queryLimits }: GraphqlOptions, request: Request): boolean {
  const text = textOf(request);
  if (!introspection || !text.includes("__")) return false;
  try {
    return queryLimits.isExempt(parse(text, { maxTokens: queryLimits.tokens, noLocation: true }));
  } catch {
    return false;
  }
}
