import type { IncomingMessage } from "node:http";
import type { ErrorRequestHandler, Request, RequestHandler, Response, Router } from "express";
import type { PublicCertificates } from "./actions/verification/public-certificates.js";
import type { Config } from "./config.js";
import type { GraphqlServer } from "./graphql/server/server.js";
import { pathNotFound } from "./http/answer/failure.js";
import { servePublicDocument } from "./http/answer/public-document.js";
import { answerFailure, type IncomingCall } from "./http/incoming-call.js";
import type { RequestInfo } from "./http/request-info.js";
import { createExpress, getOnly } from "./http/server/side-server.js";
import type { Site } from "./http/site.js";
import { GRAPHQL_PATH, MCP_PATH, surfaceOf } from "./http/surface.js";
import type { Mcp } from "./mcp/serve.js";
import { createCertificatePages } from "./pages/certificates.js";
import { createConsole } from "./pages/console.js";
import { createOauthDocuments } from "./pages/oauth.js";
import { createPages, EXPLORER_PATH } from "./pages/pages.js";
import { CONSOLE_FOLDER } from "./paths.js";
import type { EndpointGroup } from "./rest/endpoint.js";
import { endpoints } from "./rest/ext/index.js";
import { describeEvents } from "./rest/openapi/asyncapi.js";
import { describeApi } from "./rest/openapi/openapi.js";

const CONSOLE_PATH = "/console";
const STREAM_PATH = `${GRAPHQL_PATH}/stream`;
const SCHEMA_PATH = `${GRAPHQL_PATH}/schema.graphql`;

export interface RoutesOptions {
  readonly config: Config;
  /** Key to show on the pages; null for none. */
  readonly demoKey: string | null;
  /** Returns the gateway's URL. Call it only once the gateway listens. */
  readonly url: () => string;
  readonly site: Site;
  /** The published schema. */
  readonly sdl: string;
  readonly groups: readonly EndpointGroup[];
  readonly telemetry: Router;
  readonly serveGraphql: GraphqlServer["serve"];
  readonly serveStream: GraphqlServer["serve"];
  /** Undefined if MCP is off. */
  readonly serveMcp: Mcp["serve"] | undefined;
  readonly certificates: PublicCertificates;
}

/** Creates a function that answers all requests outside the REST and SCIM surfaces. */
export function createRoutes(options: RoutesOptions): (incomingCall: IncomingCall) => void {
  const { config, demoKey, url, site, sdl, groups, telemetry, certificates } = options;
  const { serveGraphql, serveStream, serveMcp } = options;
  const app = createExpress();
  app.use(telemetry);
  app.use(createCertificatePages(certificates));
  app.use(createOauthDocuments(site));
  const publish = (path: string, type: string, write: () => string | Promise<string>) =>
    app.all(path, getOnly).get(path, servePublicDocument(type, write));
  publish("/openapi.json", "json", async () => JSON.stringify(await describeApi(groups)));
  publish("/asyncapi.json", "json", () => JSON.stringify(describeEvents()));
  if (config.introspection) publish(SCHEMA_PATH, "text/plain", () => sdl);
  if (config.console) {
    const explorerPath = config.sandbox ? EXPLORER_PATH : null;
    app.get("/", ({ headers }, response, next) => {
      if (acceptsHtml(headers)) response.redirect(`${CONSOLE_PATH}/`);
      else next();
    });
    const isRegistrationOpen = config.registration === "open";
    app.use(CONSOLE_PATH, createConsole({ folder: CONSOLE_FOLDER, explorerPath, isRegistrationOpen }));
  }
  if (config.sandbox) {
    const schemaPath = config.introspection ? SCHEMA_PATH : null;
    app.use(createPages({ url, demoKey, schemaPath, endpoints }));
  }
  app.use(notFound);
  app.use(failed);
  const findServe = (path: string, isPage: boolean) => {
    if (path === GRAPHQL_PATH || path === `${GRAPHQL_PATH}/`) return isPage ? undefined : serveGraphql;
    if (path === STREAM_PATH) return serveStream;
    return path === MCP_PATH ? serveMcp : undefined;
  };
  return (incomingCall) => {
    const { request, path, incoming, response, headers } = incomingCall;
    // Bypasses Express, whose router and middleware take more CPU time than a cached answer.
    const serve = findServe(path, config.sandbox && opensPage(incoming));
    if (serve) {
      serve(incomingCall).catch((error) => answerFailure(incomingCall, error));
      return;
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    Object.assign(response, { locals: { request } });
    app(incoming as Request, response as Response);
  };
}

/**
 * Returns true if a browser opens a page: it prefers HTML and sends no GraphQL query. GraphQL clients accept JSON or
 * have no preference.
 */
const opensPage = ({ method, url = "", headers }: IncomingMessage): boolean =>
  method === "GET" && !/[?&]query=/.test(url) && acceptsHtml(headers);

const acceptsHtml = ({ accept }: IncomingMessage["headers"]) => accept?.startsWith("text/html") === true;

const notFound: RequestHandler = (request) => {
  throw pathNotFound(request.path);
};

const failed: ErrorRequestHandler = (thrown, { path }, response, _next) => {
  // Express would print the error with the malformed body of a request.
  if (response.headersSent) return void response.destroy();
  const request = response.locals["request"] as RequestInfo;
  answerFailure({ request, surface: surfaceOf(path), response, headers: {} }, thrown);
};
