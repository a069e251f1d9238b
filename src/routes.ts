import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from "express";
import type { Config } from "./config.js";
import type { RequestInfo } from "./context.js";
import { nothingAt } from "./failure.js";
import { createExplorer } from "./graphql/explorer.js";
import { useTrustedDocuments } from "./graphql/trusted-documents.js";
import { type Arrival, answerFailure, GRAPHQL_PATH, surfaceOf } from "./http/front.js";
import { createExpress, getOnly } from "./http/server.js";
import { describeApi } from "./rest/openapi.js";

const EXPLORER_PATH = "/graphiql";

export interface RoutesOptions {
  readonly config: Config;
  /** For the explorer; null where there is none to show. */
  readonly demoKey: string | null;
  /** The schema, as it is published. */
  readonly sdl: string;
  readonly trusted: ReadonlyMap<string, string>;
  readonly operations: Router;
  readonly graphql: RequestHandler;
}

/** Makes what answers everything but the REST surface. */
export function createRoutes(options: RoutesOptions): (arrival: Arrival) => void {
  const { config, demoKey, sdl, trusted, operations, graphql } = options;
  const openapi = describeApi();
  const app = createExpress();
  app.use(operations);
  app.all("/openapi.json", getOnly);
  app.get("/openapi.json", (_request, response) => {
    response.json(openapi);
  });
  if (config.introspection) {
    app.all(`${GRAPHQL_PATH}/schema.graphql`, getOnly);
    app.get(`${GRAPHQL_PATH}/schema.graphql`, (_request, response) => {
      response.type("text/plain").send(sdl);
    });
  }
  app.all(
    GRAPHQL_PATH,
    express.json({ limit: "256kb" }),
    unlessAnswered,
    useTrustedDocuments(trusted, config.onlyTrusted),
    graphql,
  );
  if (config.sandbox) {
    app.get("/", (_request, response) => response.redirect(302, GRAPHQL_PATH));
    let explorer: Promise<Router> | undefined;
    app.use(EXPLORER_PATH, async (request, response, next) => {
      explorer ??= createExplorer(EXPLORER_PATH, GRAPHQL_PATH, demoKey).catch((error: unknown) => {
        // The next request tries again.
        explorer = undefined;
        throw error;
      });
      (await explorer)(request, response, next);
    });
  }
  app.use(notFound);
  app.use(failed);
  return ({ request, incoming, response }) => {
    Object.assign(response, { locals: { request } });
    app(incoming as Request, response as Response);
  };
}

/** The request that a response answers. */
export function requestOf(response: Response): RequestInfo {
  return response.locals["request"] as RequestInfo;
}

/** Ends here what was refused while its body was on its way. */
const unlessAnswered: RequestHandler = (_request, response, next) => {
  if (!response.headersSent) next();
};

const notFound: RequestHandler = (request) => {
  throw nothingAt(request.path);
};

const failed: ErrorRequestHandler = (thrown, { path }, response, _next) => {
  // Express would print what was thrown, with the request's body where it was that which cannot be read.
  if (response.headersSent) return void response.destroy();
  answerFailure({ request: requestOf(response), surface: surfaceOf(path), response, headers: {} }, thrown);
};
