import { ApolloServer, type ApolloServerOptionsWithGateway } from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import type { GraphQLSchema } from "graphql";
import type { Context } from "../../access/context.js";
import { toAppError } from "../../http/answer/failure.js";
import { createIntrospectionCounter } from "../../limits/budget/introspections.js";
import { limitQueries, QUERY_LIMITS } from "../../limits/cost/query-limits.js";
import type { Logger } from "../../log.js";
import { createErrorFormat, toGraphqlError } from "./errors.js";
import { createExecutor, type ExecutableOperation, type ExecutorOptions } from "./executor.js";
import { emptySubscriptions, limitCost, logFailures } from "./plugins.js";
import { stringifyResult } from "./result.js";
import { createServe, type ServeGraphql, type ServeOptions } from "./serve.js";

type OwnOptions = "server" | "countIntrospection" | "uncountIntrospection";

export interface GraphqlOptions extends Omit<ExecutorOptions & ServeOptions, OwnOptions> {
  readonly log: Logger;
}

export interface GraphqlServer {
  readonly serve: ServeGraphql;
  stop(): Promise<void>;
}

/** Starts Apollo Server, with no setting left to NODE_ENV. */
export async function startGraphqlServer(options: GraphqlOptions): Promise<GraphqlServer> {
  const { schema, introspection, log } = options;
  const introspections = createIntrospectionCounter();
  const server = new ApolloServer<Context>({
    gateway: executeWith(schema, createExecutor({ ...options, ...introspections })),
    stringifyResult,
    introspection,
    nodeEnv: "production",
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: !introspection,
    allowBatchedHttpRequests: false,
    // Headers that a page of another site cannot send without a CORS preflight.
    csrfPrevention: {
      requestHeaders: ["x-api-key", "authorization", "apollo-require-preflight", "x-apollo-operation-name"],
    },
    persistedQueries: false,
    parseOptions: { maxTokens: QUERY_LIMITS.tokens },
    validationRules: [limitQueries],
    stopOnTerminationSignals: false,
    formatError: createErrorFormat({ suggests: introspection }),
    logger: log,
    plugins: [
      logFailures,
      limitCost,
      emptySubscriptions,
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await server.start();
  return {
    serve: createServe({ ...options, ...introspections, server }),
    stop: () => server.stop(),
  };
}

/** Replaces only Apollo Server's execution with ours. The `gateway` option is its way to do so. */
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
